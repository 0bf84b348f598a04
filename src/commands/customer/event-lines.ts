// Parses server-sent events, however the network splits them. Pure.

export interface StreamedEvent {
  id: string
  type: string
  data: string
}

/** Push text into it; it returns the events that are complete. */
export class EventLines {
  #rest = ''
  #fields: { id: string; type: string; data: string[] } = { id: '', type: 'message', data: [] }

  push(text: string): StreamedEvent[] {
    const lines = (this.#rest + text).split(/\r?\n/)
    this.#rest = lines.pop()!
    return lines.flatMap((line) => this.#take(line) ?? [])
  }

  #take(line: string): StreamedEvent | null {
    if (line === '') return this.#finish()
    const [, name, value] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? []
    if (name === 'id') this.#fields.id = value ?? ''
    if (name === 'event') this.#fields.type = value ?? ''
    if (name === 'data') this.#fields.data.push(value ?? '')
    return null // a comment, or a field that we do not use
  }

  #finish(): StreamedEvent | null {
    const { id, type, data } = this.#fields
    this.#fields = { id: '', type: 'message', data: [] }
    return data.length === 0 ? null : { id, type, data: data.join('\n') }
  }
}
