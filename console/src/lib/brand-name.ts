// The name in the titles of pages: ours, or a reseller's once it is loaded.

const OURS = 'Longcode'

let name = OURS

export function brandName(): string {
  return name
}

/** Also changes the title of the open page. Null: ours. */
export function setBrandName(next: string | null): void {
  const before = name
  name = next ?? OURS
  if (document.title.endsWith(before)) {
    document.title = document.title.slice(0, -before.length) + name
  }
}
