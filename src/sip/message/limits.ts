// Limits of a SIP message. Anything over a limit is refused with a reason before any work on it.

/** Start line and headers, including the empty line after them. */
export const HEAD_MAX = 32 * 1024
/** Head and body: the maximum of a UDP datagram. */
export const MESSAGE_MAX = 64 * 1024
/** Lines of a head. A folded header has several. */
export const LINES_MAX = 256
export const LINE_MAX = 8 * 1024
export const URI_MAX = 1024
/** Values of one header, over all its lines. */
export const VALUES_MAX = 70
export const PARAMETERS_MAX = 32
