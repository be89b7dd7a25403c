# bash completion for ondo(1)
_ondo() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
    local command=${COMP_WORDS[1]} options
    if [ "$COMP_CWORD" -eq 1 ]; then
        mapfile -t COMPREPLY < <(compgen -W 'run info check convert selftest bench --help --version' -- "$word")
        return
    fi
    case $before in
    --device)
        mapfile -t COMPREPLY < <(compgen -W 'auto cpu cuda:0 cuda:1' -- "$word")
        return
        ;;
    --only)
        mapfile -t COMPREPLY < <(compgen -W 'parity physics' -- "$word")
        return
        ;;
    esac
    case $command in
    run) options='--device --out --png --gather --dry-run --set --help' ;;
    selftest) options='--device --only --help' ;;
    bench) options='--device --json --help' ;;
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
