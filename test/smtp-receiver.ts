// A small SMTP server on this machine that stores what it receives, and can refuse or hang up.

import { type AddressInfo, createServer, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import type { TestContext } from 'node:test'

interface ReceivedEmail {
  recipients: string[]
  /** Headers and body, with soft line breaks undone. */
  text: string
}

export interface SmtpReceiver {
  url: string
  emails: ReceivedEmail[]
  /** The reply to the end of the content. Null: hang up without one, after storing it. */
  answer: (reply: string | null) => void
}

export async function smtpReceiver(t: TestContext): Promise<SmtpReceiver> {
  const emails: ReceivedEmail[] = []
  const sockets = new Set<Socket>()
  let reply: string | null = '250 OK'
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => {})
    talk(socket, (email) => {
      if (reply === null || reply.startsWith('2')) emails.push(email)
      return reply
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const answer = (next: string | null) => {
    reply = next
  }
  return { url: `smtp://127.0.0.1:${port}`, emails, answer }
}

/** One connection: greets, then answers line by line. */
function talk(socket: Socket, onEmail: (email: ReceivedEmail) => string | null): void {
  let recipients: string[] = []
  let content: string[] | null = null
  const say = (line: string) => socket.write(`${line}\r\n`)
  say('220 receiver.test ESMTP')
  const lines = createInterface({ input: socket })
  lines.on('error', () => {}) // a client that is killed resets the connection
  lines.on('line', (line) => {
    if (content !== null) {
      if (line !== '.') {
        content.push(line.startsWith('..') ? line.slice(1) : line)
        return
      }
      const text = content.join('\n').replaceAll('=\n', '').replaceAll('=20\n', ' \n')
      const reply = onEmail({ recipients, text })
      content = null
      recipients = []
      if (reply === null) socket.destroy()
      else say(reply)
      return
    }
    const address = /^RCPT TO:<([^>]*)>/i.exec(line)?.[1]
    if (address !== undefined) recipients.push(address)
    if (/^DATA/i.test(line)) {
      content = []
      say('354 Go ahead')
    } else if (/^QUIT/i.test(line)) {
      say('221 Bye')
      socket.end()
    } else say(/^EHLO/i.test(line) ? '250 receiver.test' : '250 OK')
  })
}
