// Web addresses without the slashes at their end, so a path can be appended. A pattern such as /\/+$/ tries every run of
// slashes from each of its places; this looks only at the end.

export function trimSlashes(url: string): string {
  let end = url.length
  while (url[end - 1] === '/') end -= 1
  return url.slice(0, end)
}
