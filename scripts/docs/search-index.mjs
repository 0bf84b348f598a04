// The search index: one entry per section, read by the browser when a reader opens the search. The browser and the
// build must use the same options, so both take them from here.

import MiniSearch from 'minisearch'

export const SEARCH_OPTIONS = {
  fields: ['title', 'page', 'text'],
  storeFields: ['title', 'page', 'address', 'text'],
  searchOptions: {
    boost: { title: 4, page: 2 },
    prefix: true,
    fuzzy: (term) => (term.length > 4 ? 0.2 : false),
    combineWith: 'AND',
    // Records of decisions and changes match many words. Guides come first, above all their beginning.
    boostDocument: (_id, _term, { address }) => {
      if (/^(?:decisions|changelog)/.test(address)) return 0.3
      return address.includes('#') ? 1 : 2
    },
  },
}
/** Long sections are found by their beginning. The results show only some words around the match. */
const TEXT_MAX = 4_000

export function searchIndex(pages) {
  const index = new MiniSearch(SEARCH_OPTIONS)
  let id = 0
  for (const { address, title: page, sections } of pages) {
    for (const [at, section] of sections.entries()) {
      const { title } = section
      const text = section.text.slice(0, TEXT_MAX)
      const place = at === 0 ? address : `${address}#${section.id}`
      index.add({ id: id++, title, page, address: place, text })
    }
  }
  return JSON.stringify(index)
}
