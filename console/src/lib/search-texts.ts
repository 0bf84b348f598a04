// The parameters of a page's URL that are filters.

/** The named parameters that have a value, as text. The service refuses values that it does not know. */
export function textsOf<Search extends object>(
  search: Record<string, unknown>,
  names: readonly (keyof Search & string)[],
): Search {
  const present = names.filter((name) => search[name] !== undefined && search[name] !== '')
  return Object.fromEntries(present.map((name) => [name, String(search[name])])) as Search
}
