// Counts in sentences for people: "1 link", "2 links", "1,200 messages are waiting".

/** The count with the word or phrase that fits it. The plural adds an s unless it is given. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`
}
