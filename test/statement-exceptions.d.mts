/** By the rule and the file: why. */
export const EXCEPTIONS: Record<string, Record<string, string>>
