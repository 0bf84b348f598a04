// Fills in the fields of a saved reply, such as {{name}}, from the contact. Unknown fields stay, so the writer sees
// them.

interface Filled {
  name: string
  fields: Readonly<Record<string, string>>
}

const FIELD = /\{\{ ?([A-Za-z][A-Za-z0-9_]{0,39}) ?\}\}/g

export function fillReply(body: string, contact: Filled | null): string {
  const values = new Map(
    Object.entries({ ...contact?.fields, ...(contact && { name: contact.name }) }),
  )
  return body.replace(FIELD, (whole, field: string) => values.get(field) || whole)
}

/** The fields that are not filled in. */
export function fieldsIn(body: string): string[] {
  return [...new Set([...body.matchAll(FIELD)].map(([, field]) => field!))]
}
