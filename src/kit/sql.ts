// SQL text with its values, written as a template: sql`select … where id = ${id}`. Values never
// become part of the text; a fragment (`raw`) does, so only constants of the program may be fragments.

export interface Statement {
  /** Named statements are prepared once per connection. */
  name: string
  text: string
  values: unknown[]
}

class Fragment {
  constructor(readonly text: string) {}
}

const names = new Map<string, string>()

export function raw(text: string): Fragment {
  return new Fragment(text)
}

export function sql(parts: TemplateStringsArray, ...inserts: unknown[]): Statement {
  const values: unknown[] = []
  let text = parts[0]!
  inserts.forEach((insert, i) => {
    if (insert instanceof Fragment) text += insert.text
    else text += `$${values.push(insert)}`
    text += parts[i + 1]!
  })
  return { name: nameOf(text), text, values }
}

// The same text always has the same name; the number of texts is bounded by the program's source.
export function nameOf(text: string): string {
  let name = names.get(text)
  if (!name) {
    name = `s${names.size + 1}`
    names.set(text, name)
  }
  return name
}
