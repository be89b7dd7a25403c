# bash completion for ondo(1)
_ondo() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
    local command=${COMP_WORDS[1]} options
    if [ "$COMP_CWORD" -eq 1 ]; then
        mapfile -t COMPREPLY < <(compgen -W 'run gradient invert migrate info check convert selftest bench calibrate --help --help-all --version' -- "$word")
        return
    fi
    case $before in
    --device)
        mapfile -t COMPREPLY < <(compgen -W 'auto cpu cuda:0 cuda:1' -- "$word")
        return
        ;;
    --only)
        mapfile -t COMPREPLY < <(compgen -W "$(ondo selftest --list 2>/dev/null | sed 's:/.*::' | sort -u)" -- "$word")
        return
        ;;
    --case)
        mapfile -t COMPREPLY < <(compgen -W "$(ondo "$command" --list 2>/dev/null | cut -d ' ' -f 1)" -- "$word")
        return
        ;;
    --memory)
        mapfile -t COMPREPLY < <(compgen -W 'auto full chunks boundary segments binomial' -- "$word")
        return
        ;;
    --storage)
        mapfile -t COMPREPLY < <(compgen -W 'exact float32 bfloat16 float16 int8' -- "$word")
        return
        ;;
    --place)
        mapfile -t COMPREPLY < <(compgen -W 'device host disk' -- "$word")
        return
        ;;
    --tape-folder)
        mapfile -t COMPREPLY < <(compgen -d -- "$word")
        return
        ;;
    --set)
        # Keys of the list of keys: "[section]" lines, then "  name ...".
        mapfile -t COMPREPLY < <(compgen -S = -W "$(ondo run --keys 2>/dev/null |
            sed -n -e 's/^\[\(.*\)\]$/\1./;T name;h;d' -e ':name' -e '/^  [a-z]/{s/^  \([a-z_]*\) .*/\1/;G;s/\(.*\)\n\(.*\)/\2\1/p}')" -- "$word")
        compopt -o nospace 2>/dev/null
        return
        ;;
    --threads | --gate | --every | --chunk | --checkpoints | --host-checkpoints | --disk-checkpoints) return ;;
    esac
    case $command in
    run) options='--device --out --png --gather --set --threads --dry-run --quiet --keys --example --help' ;;
    gradient) options='--observed --out --device --memory --storage --place --checkpoints --host-checkpoints --disk-checkpoints --tape-folder --every --tail --chunk --parameters --no-speed --no-positions --set --threads --dry-run --quiet --help' ;;
    invert) options='--observed --out --resume --from --line --points --span --misfits --device --memory --storage --every --set --threads --dry-run --keys --quiet --help' ;;
    migrate) options='--observed --out --png --lsrtm --damping --as-recorded --mute-speed --mute-delay --taper --mute-depth --water --laplacian --lags --columns --device --memory --storage --place --every --set --threads --dry-run --quiet --help' ;;
    info) options='--json --help' ;;
    check | convert) options='--set --help' ;;
    selftest) options='--device --only --slow --json --list --help' ;;
    bench) options='--device --case --threads --quick --json --compare --gate --view --gradient --memory --list --help' ;;
    calibrate) options='--device --threads --check --case --quick --list --json --help' ;;
    *) options='--help' ;;
    esac
    case $word in
    -*) mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word") ;;
    *)
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
        ;;
    esac
}
complete -F _ondo ondo
