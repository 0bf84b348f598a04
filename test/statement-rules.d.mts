export const DISTRIBUTED: Set<string>
export const RULES: Record<string, { why: string; isBroken: (statement: string) => boolean }>
/** The names of the rules that it breaks. */
export function brokenRules(text: string): string[]
export function schemaFaults(schema?: string): string[]
