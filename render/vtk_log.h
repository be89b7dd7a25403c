// VTK's messages go here and not to the console.
#pragma once

namespace ondo {

// Once is enough; more calls do nothing. takeVtkMessages() of render/gl_scene.h empties the store.
void routeVtkMessages();

} // namespace ondo
