// Web addresses without trailing slashes, so a path can be appended. A pattern such as /\/+$/ tries every run
// of slashes from each position; this reads only the end.

export function trimSlashes(url: string): string {
  let end = url.length
  while (url[end - 1] === '/') end -= 1
  return url.slice(0, end)
}
