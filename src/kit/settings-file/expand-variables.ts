// `${NAME}` in a value is a variable of the environment, so a file without secrets can be stored with the
// program. `$${` is a plain `${`.

import type { Path, SettingsProblem } from './settings-document.js'

export interface Expanded {
  value: unknown
  /** Positions whose text came from the environment: never shown, and read as the expected number or flag. */
  fromOutside: ReadonlySet<string>
  problems: SettingsProblem[]
}

// An unclosed one extends to the end of the text, so nothing inside it is searched.
const HOLE = /\$?\$\{([^}]*)(?:\}|$)/g
const NAME = /^[A-Z_][A-Z0-9_]*$/

export const placeOf = (path: Path): string => path.join('\0')

export function expandVariables(
  value: unknown,
  variable: (name: string) => string | null,
): Expanded {
  const fromOutside = new Set<string>()
  const problems: SettingsProblem[] = []

  const fill = (text: string, path: Path): string =>
    text.replaceAll(HOLE, (whole, name: string) => {
      if (!whole.endsWith('}')) return whole
      if (whole.startsWith('$$')) return whole.slice(1)
      const found = NAME.test(name) ? variable(name) : null
      if (found !== null) fromOutside.add(placeOf(path))
      else problems.push({ path, text: missingText(name) })
      return found ?? ''
    })

  const walk = (inner: unknown, path: Path): unknown => {
    if (typeof inner === 'string') return inner.includes('${') ? fill(inner, path) : inner
    if (Array.isArray(inner)) return inner.map((entry, i) => walk(entry, [...path, i]))
    if (typeof inner !== 'object' || inner === null) return inner
    return Object.fromEntries(
      Object.entries(inner).map(([name, entry]) => [name, walk(entry, [...path, name])]),
    )
  }

  return { value: walk(value, []), fromOutside, problems }
}

function missingText(name: string): string {
  return NAME.test(name)
    ? `names \${${name}}, which is not set: set ${name} in the environment or in .env`
    : `names \${${name}}: names of variables are capital letters, digits and _`
}
