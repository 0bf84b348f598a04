// DATABASE_URL, which may list several servers of one cluster:
// postgres://user:password@a:5432,b:5432/database. Neither standard URLs nor the driver support more than
// one, so it is parsed here.

const URL_PARTS = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^/?#]*)(.*)$/s
const SERVERS_MAX = 16

/** An address for each server; null if it is invalid. */
export function splitDatabaseUrl(text: string): readonly string[] | null {
  const [, before = '', hosts = '', after = ''] = URL_PARTS.exec(text) ?? []
  const urls = hosts.split(',').map((host) => `${before}${host}${after}`)
  const isUsable = (url: string) => URL.canParse(url) && (urls.length === 1 || hostOf(url) !== '')
  if (before === '' || urls.length > SERVERS_MAX || !urls.every(isUsable)) return null
  return urls
}

/** Where the database is, without user and password: `a:5432,b:5432/longcode`. */
export function describeDatabaseUrl(text: string): string {
  const urls = splitDatabaseUrl(text)
  if (urls === null) return 'DATABASE_URL'
  return `${urls.map((url) => decodeURIComponent(hostOf(url))).join(',')}${new URL(urls[0]!).pathname}`
}

function hostOf(url: string): string {
  return new URL(url).host
}
