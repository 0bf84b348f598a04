// Reads server-sent events from the body of a response.

export interface ServerSent {
  id?: string
  event: string
  data: unknown
}

export async function* readServerSent(
  body: ReadableStream<Uint8Array>,
  onBytes: () => void,
): AsyncGenerator<ServerSent, void, undefined> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      onBytes()
      text += decoder.decode(value, { stream: true })
      const blocks = text.split(/\r?\n\r?\n/)
      text = blocks.pop()!
      for (const block of blocks) {
        const sent = readBlock(block)
        if (sent) yield sent
      }
    }
  } finally {
    await reader.cancel().catch(() => {}) // it may be broken already
  }
}

function readBlock(block: string): ServerSent | null {
  const fields = new Map<string, string>()
  for (const line of block.split(/\r?\n/)) {
    const colon = line.indexOf(':')
    if (colon < 1) continue
    const name = line.slice(0, colon)
    const value = line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)
    fields.set(name, fields.has(name) ? `${fields.get(name)}\n${value}` : value)
  }
  const [id, data] = [fields.get('id'), fields.get('data')]
  if (data === undefined) return null
  const event = fields.get('event') ?? 'message'
  return { event, data: JSON.parse(data), ...(id !== undefined && { id }) }
}
