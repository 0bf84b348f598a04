// What a migration can do while processes of the previous version run: it only adds. It may rename a table if the old name
// becomes a view in the same file, and check values if no version writes others. Any other removal or restriction must name
// the version that stopped using it, so it comes at least one version later.

/** `-- Contracts (unused since 0.2.0): why`, right before the statement. */
const MARK = /--\s*Contracts \(unused since \d+\.\d+\.\d+\): \S/
/** `-- Checks (true in every version): why`, right before the statement that adds the constraint. */
const CHECK_MARK = /--\s*Checks \(true in every version\): \S/

interface Rule {
  what: string
  pattern: RegExp
  /** Changes to a table or column created in the same file cannot break old processes. */
  isFineOnNew?: boolean
  /** Fine if the old name of the table is a view afterwards. */
  isFineWithView?: boolean
  /** Fine with CHECK_MARK. */
  isFineIfTrue?: boolean
}

const TABLE = String.raw`(?:if exists\s+)?(?:only\s+)?(?:public\.)?(\w+)`
const alter = (rest: string) => new RegExp(String.raw`alter table ${TABLE}[\s\S]*?\b${rest}`, 'i')

const RULES: readonly Rule[] = [
  { what: 'drops a table', pattern: new RegExp(`^drop table ${TABLE}`, 'i') },
  {
    what: 'drops what statements may name',
    pattern: /^drop (?:materialized view|view|function|procedure|sequence|type|schema)\b/i,
  },
  { what: 'empties a table', pattern: new RegExp(`^truncate (?:table\\s+)?${TABLE}`, 'i') },
  { what: 'drops a column', pattern: alter('drop column') },
  { what: 'drops a default', pattern: alter('drop default') },
  { what: 'renames', pattern: alter('rename\\b'), isFineWithView: true },
  { what: 'changes a type', pattern: alter('alter (?:column )?\\w+ (?:set data )?type\\b') },
  { what: 'forbids null', pattern: alter('set not null'), isFineOnNew: true },
  {
    what: 'adds a column that must be given',
    pattern: alter(
      'add (?:column )?(?:if not exists )?\\w+ (?![^,]*\\bdefault\\b)[^,]*\\bnot null',
    ),
  },
  {
    what: 'adds a check',
    pattern: alter('add (?:constraint \\w+\\s+)?check\\b'),
    isFineOnNew: true,
    isFineIfTrue: true,
  },
  {
    what: 'adds a constraint',
    pattern: alter(
      'add (?:constraint (?!\\w+\\s+check\\b)|unique\\b|foreign key\\b|primary key\\b|exclude\\b)',
    ),
    isFineOnNew: true,
  },
  {
    what: 'adds a unique index',
    pattern: /^create unique index[\s\S]*?\bon (?:only\s+)?(?:public\.)?(\w+)/i,
    isFineOnNew: true,
  },
]

/** One line for each change that could break a process of the previous version. */
export function findContractions(text: string): string[] {
  const made = new Set(
    [...text.matchAll(/create table (?:if not exists )?(?:public\.)?(\w+)/gi)].map(
      ([, name]) => name,
    ),
  )
  const viewed = renamedWithView(text)
  const added = [...text.matchAll(/add column (?:if not exists )?(\w+)/gi)].map(([, name]) => name!)
  return splitStatements(text).flatMap(({ comment, statement }) => {
    if (MARK.test(comment)) return []
    const broken = RULES.filter(({ pattern, isFineOnNew, isFineWithView, isFineIfTrue }) => {
      const found = pattern.exec(statement)
      if (found === null) return false
      if (isFineIfTrue && CHECK_MARK.test(comment)) return false
      if (isFineWithView && viewed.has(found[1]!)) return false
      const rest = statement.slice(found.index + found[0].length)
      const isOnNew = made.has(found[1]) || added.some((name) => hasWord(rest, name))
      return !(isFineOnNew && isOnNew)
    })
    const start = statement.replace(/\s+/g, ' ').slice(0, 60)
    return broken.map(({ what }) => `${what}: ${start}`)
  })
}

/** Both names of each table that is renamed and whose old name becomes a view. */
function renamedWithView(text: string): Set<string> {
  const views = new Set([...text.matchAll(/create view (\w+) as\b/gi)].map(([, name]) => name))
  const renames = [...text.matchAll(/alter table (\w+) rename to (\w+)/gi)]
  return new Set(renames.flatMap(([, from, to]) => (views.has(from) ? [from!, to!] : [])))
}

function hasWord(text: string, word: string): boolean {
  return new RegExp(`\\b${word}\\b`).test(text)
}

/** Each with the comment before it. Bodies in dollar quotes stay in one piece. */
function splitStatements(text: string): { comment: string; statement: string }[] {
  const pieces = text.match(/(?:--[^\n]*|\$(\w*)\$[\s\S]*?\$\1\$|'(?:[^']|'')*'|[^;])+/g) ?? []
  return pieces.map((piece) => ({
    comment: (piece.match(/--[^\n]*/g) ?? []).join('\n'),
    statement: piece.replace(/--[^\n]*/g, '').trim(),
  }))
}
