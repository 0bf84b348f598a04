// The schema of a database as readable SQL: the result of all migrations. It is read from the catalog instead of
// pg_dump, whose output changes with its version.

import type pg from 'pg'

const HEAD = `-- What the migrations come to, in order of names, for reading. Written by \`npm run schema\`: change a
-- migration, never this file. The reasons are in migrations/.`

interface Relation {
  name: string
  kind: 'r' | 'p' | 'v'
  options: string | null
  /** Of a table that is cut into others: by what. Of such another: of which, and what is in it. */
  partition: string | null
  isPart: boolean
  /** Of a view. */
  definition: string | null
}

export async function schemaText(client: pg.Client): Promise<string> {
  // Names are qualified only if they are not on the search path, so `public` is omitted.
  await client.query(`select set_config('search_path', 'public', false)`)
  const relations = await all<Relation>(client, RELATIONS, [])
  const texts = []
  for (const relation of relations) {
    if (relation.isPart) texts.push(partText(relation))
    else if (relation.kind === 'v') texts.push(viewText(relation))
    else texts.push(await tableText(client, relation))
  }
  const functions = await all<{ text: string }>(client, FUNCTIONS, [])
  return `${[HEAD, ...functions.map(({ text }) => `${text.trimEnd()};`), ...texts].join('\n\n')}\n`
}

/** Its columns and indexes are those of its table. */
function partText({ name, partition, options }: Relation): string {
  return `create table ${name} ${partition}${options ? ` with (${options})` : ''};`
}

/** Before PostgreSQL 16, the columns of a view of one table are written with its name. */
function viewText({ name, definition }: Relation): string {
  const only = /^ +FROM (\w+);$/m.exec(definition!)?.[1]
  const text = only ? definition!.replaceAll(`${only}.`, '') : definition!
  return `create view ${name} as\n${text.trimEnd()}`
}

async function tableText(
  client: pg.Client,
  { name, options, partition }: Relation,
): Promise<string> {
  const columns = await all<Line>(client, COLUMNS, [name])
  const constraints = await all<Line>(client, CONSTRAINTS, [name])
  const inner = linesText([...columns, ...constraints])
  const after = await all<{ text: string }>(client, AFTER, [name])
  const statements = [
    `create table ${name} (\n${inner}\n)${options ? ` with (${options})` : ''}${partition ? ` ${partition}` : ''};`,
    ...after.map(({ text }) => `${plainText(text)};`),
    ...(name === 'migrations' ? [] : await rowTexts(client, name)),
  ]
  return statements.join('\n')
}

interface Line {
  text: string
  /** Of a column. */
  comment?: string | null
}

function linesText(lines: readonly Line[]): string {
  return lines
    .map(({ text, comment }, i) => {
      const comma = i < lines.length - 1 ? ',' : ''
      return `  ${text}${comma}${comment ? ` -- ${comment}` : ''}`
    })
    .join('\n')
}

/**
 * Of an index on such an expression the latest minor versions write one more pair: 15.20 does, 15.19 does not. Of a
 * table of partitions, `only`: partitions have their own entries.
 */
function plainText(text: string): string {
  return text
    .replace(' ON ONLY ', ' ON ')
    .replace(/\(\(\(([^()]* AT TIME ZONE [^()]*)\)\)\)/g, '(($1))')
}

/** What migrations put into the table. */
async function rowTexts(client: pg.Client, table: string): Promise<string[]> {
  const rows = await all<{ json: string }>(
    client,
    `select to_jsonb(t)::text as json from ${table} t order by to_jsonb(t)`,
    [],
  )
  return rows.map(({ json }) => `-- has the row ${json}`)
}

async function all<Row extends object>(
  client: pg.Client,
  text: string,
  values: unknown[],
): Promise<Row[]> {
  return (await client.query<Row>(text, values)).rows
}

const RELATIONS = `
  select c.relname as name, c.relkind as kind, c.relispartition as "isPart",
    case when c.relispartition then 'partition of ' ||
        (select inhparent::regclass::text from pg_inherits where inhrelid = c.oid) ||
        ' ' || pg_get_expr(c.relpartbound, c.oid)
      when c.relkind = 'p' then 'partition by ' || pg_get_partkeydef(c.oid) end as partition,
    array_to_string(c.reloptions, ', ') as options,
    case c.relkind when 'v' then pg_get_viewdef(c.oid) end as definition
  from pg_class c
  where c.relnamespace = 'public'::regnamespace and c.relkind not in ('i', 'I', 't')
  order by c.relname collate "C"`

// Columns of a queue are grouped after the others (docs/decisions/0107).
const COLUMNS = `
  select concat_ws(' ', a.attname, format_type(a.atttypid, a.atttypmod),
    case when a.attcollation <> t.typcollation then 'collate ' || quote_ident(l.collname) end,
    case when a.attstorage <> t.typstorage then
      'storage ' || case a.attstorage when 'p' then 'plain' when 'e' then 'external'
        when 'm' then 'main' else 'extended' end end,
    case when a.attnotnull then 'not null' end,
    'default ' || pg_get_expr(d.adbin, d.adrelid)) as text,
    col_description(a.attrelid, a.attnum) as comment
  from pg_attribute a join pg_type t on t.oid = a.atttypid
  left join pg_collation l on l.oid = a.attcollation
  left join pg_attrdef d on (d.adrelid, d.adnum) = (a.attrelid, a.attnum)
  where a.attrelid = to_regclass($1) and a.attnum > 0 and not a.attisdropped
  order by col_description(a.attrelid, a.attnum) like 'queue:%' nulls first, a.attnum`

// From PostgreSQL 18 on `not null` is a constraint with a name as well: it stands with its column.
const CONSTRAINTS = `
  select 'constraint ' || conname || ' ' || pg_get_constraintdef(oid) as text
  from pg_constraint where conrelid = to_regclass($1) and contype <> 'n'
  order by contype = 'p' desc, conname collate "C"`

const AFTER = `
  select text from (
    select pg_get_indexdef(i.indexrelid) as text from pg_index i
    where i.indrelid = to_regclass($1) and not exists (
      select from pg_constraint where conindid = i.indexrelid and contype in ('p', 'u', 'x'))
    union all
    select pg_get_triggerdef(oid) from pg_trigger
    where tgrelid = to_regclass($1) and not tgisinternal) t
  order by text collate "C"`

const FUNCTIONS = `
  select pg_get_functiondef(oid) as text from pg_proc
  where pronamespace = 'public'::regnamespace order by proname collate "C"`
