// Reads server-sent events: lines of text to events, however the network cuts them. Pure.

export interface StreamedEvent {
  id: string
  type: string
  data: string
}

/** Feed it text; it answers with the events that are whole. */
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
    return null // a comment, or a field that means nothing to us
  }

  #finish(): StreamedEvent | null {
    const { id, type, data } = this.#fields
    this.#fields = { id: '', type: 'message', data: [] }
    return data.length === 0 ? null : { id, type, data: data.join('\n') }
  }
}
