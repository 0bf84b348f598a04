// Records connections in a file that tshark and Wireshark read as SMPP. Each frame is a packet in Wireshark's own
// export format, with addresses, ports, and the protocol's name, so Wireshark need not guess the protocol from the
// port. Passwords are blanked. Texts and phone numbers are not, so only the owner can read the file. At its size
// limit a new file starts, and the previous one is renamed with `.1` at the end. A slow or full disk loses frames
// of the trace, never a message.

import { createWriteStream, existsSync, openSync, renameSync, type WriteStream } from 'node:fs'
import { isIPv4, isIPv6 } from 'node:net'
import { decodePdu } from '../pdu/decode.js'
import { encodePdu } from '../pdu/encode.js'
import { HEADER_LENGTH, type Pdu } from '../pdu/pdu.js'
import type { SocketEndpoint, Trace } from './trace.js'

export interface PcapOptions {
  file: string
  maxBytes: number
  now: () => Date
  /** Called at the first failure. Nothing is written after it. */
  onFailure: (error: Error) => void
}

const MAGIC_MICROSECONDS = 0xa1b2c3d4
const SNAP_LENGTH = 0x40000
const LINKTYPE_WIRESHARK_UPPER_PDU = 252
const FILE_HEADER_LENGTH = 24
const PACKET_HEADER_LENGTH = 16
/** The maximum number of bytes that wait for the disk. */
const WAITING_MAX = 8 * 1024 * 1024
const OWNER_ONLY = 0o600

export class PcapFile {
  readonly #options: PcapOptions
  #stream: WriteStream | null = null
  #written = 0

  constructor(options: PcapOptions) {
    this.#options = options
    this.#begin()
  }

  /** The trace of one connection. */
  connection(local: SocketEndpoint, remote: SocketEndpoint): Trace {
    const sent = tagsOf(local, remote)
    const received = tagsOf(remote, local)
    return {
      frame: (direction, bytes) =>
        this.#write(direction === 'sent' ? sent : received, withoutPassword(bytes)),
    }
  }

  /** Resolves when everything is on disk, or cannot be. */
  close(): Promise<void> {
    const stream = this.#stream
    this.#stream = null
    if (!stream || stream.destroyed) return Promise.resolve()
    return new Promise((resolve) => {
      stream.once('close', resolve)
      stream.end()
    })
  }

  /** The file is opened synchronously, because the next one may start before a stream would open it. */
  #begin(): void {
    const { file } = this.#options
    try {
      if (existsSync(file)) renameSync(file, `${file}.1`)
      const stream = createWriteStream(file, { fd: openSync(file, 'w', OWNER_ONLY) })
      stream.on('error', (error) => this.#fail(error))
      stream.write(fileHeader())
      this.#stream = stream
      this.#written = FILE_HEADER_LENGTH
    } catch (error) {
      this.#fail(error as Error)
    }
  }

  #fail(error: Error): void {
    this.#stream = null
    this.#options.onFailure(error)
  }

  #write(tags: Buffer, bytes: Buffer): void {
    const length = PACKET_HEADER_LENGTH + tags.length + bytes.length
    if (this.#stream && this.#written + length > this.#options.maxBytes) {
      this.#stream.end()
      this.#begin()
    }
    if (!this.#stream || this.#stream.writableLength > WAITING_MAX) return
    this.#written += length
    this.#stream.write(packetOf(this.#options.now(), tags, bytes))
  }
}

function fileHeader(): Buffer {
  const header = Buffer.alloc(FILE_HEADER_LENGTH)
  header.writeUInt32BE(MAGIC_MICROSECONDS, 0)
  header.writeUInt16BE(2, 4)
  header.writeUInt16BE(4, 6)
  header.writeUInt32BE(SNAP_LENGTH, 16)
  header.writeUInt32BE(LINKTYPE_WIRESHARK_UPPER_PDU, 20)
  return header
}

function packetOf(at: Date, tags: Buffer, bytes: Buffer): Buffer {
  const length = tags.length + bytes.length
  const packet = Buffer.alloc(PACKET_HEADER_LENGTH + length)
  packet.writeUInt32BE(Math.floor(at.getTime() / 1_000), 0)
  packet.writeUInt32BE((at.getTime() % 1_000) * 1_000, 4)
  packet.writeUInt32BE(length, 8)
  packet.writeUInt32BE(length, 12)
  tags.copy(packet, PACKET_HEADER_LENGTH)
  bytes.copy(packet, PACKET_HEADER_LENGTH + tags.length)
  return packet
}

const TAG = { end: 0, protocol: 12, portType: 24, sourcePort: 25, destinationPort: 26 } as const
const ADDRESS_TAGS = { 4: { source: 20, destination: 21 }, 6: { source: 22, destination: 23 } }
const TCP = 2

function tagsOf(source: SocketEndpoint, destination: SocketEndpoint): Buffer {
  return Buffer.concat([
    tag(TAG.protocol, Buffer.from('smpp')),
    addressTag(source.address, 'source'),
    addressTag(destination.address, 'destination'),
    tag(TAG.portType, number(TCP)),
    tag(TAG.sourcePort, number(source.port)),
    tag(TAG.destinationPort, number(destination.port)),
    tag(TAG.end, Buffer.alloc(0)),
  ])
}

/** Padded to four bytes, which its length includes. */
function tag(id: number, value: Buffer): Buffer {
  const length = Math.ceil(value.length / 4) * 4
  const written = Buffer.alloc(4 + length)
  written.writeUInt16BE(id, 0)
  written.writeUInt16BE(length, 2)
  value.copy(written, 4)
  return written
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value, 0)
  return bytes
}

function addressTag(address: string, role: 'source' | 'destination'): Buffer {
  const [plain = ''] = address.replace(/^::ffff:(?=\d+\.)/, '').split('%', 1)
  if (isIPv4(plain)) return tag(ADDRESS_TAGS[4][role], Buffer.from(plain.split('.').map(Number)))
  return isIPv6(plain) ? tag(ADDRESS_TAGS[6][role], ipv6Octets(plain)) : Buffer.alloc(0)
}

function ipv6Octets(address: string): Buffer {
  const [head = '', tail = ''] = address.split('::') as [string, string?]
  const groups = (text: string) => (text === '' ? [] : text.split(':'))
  const missing = 8 - groups(head).length - groups(tail).length
  const all = [...groups(head), ...Array<string>(Math.max(0, missing)).fill('0'), ...groups(tail)]
  return Buffer.from(all.map((group) => group.padStart(4, '0')).join(''), 'hex')
}

/** In every PDU with a password, and in anything that claims to be one and cannot be decoded. */
const SECRET_IDS: readonly number[] = [0x01, 0x02, 0x09, 0x0b]
const BLANKED = '********'

function withoutPassword(bytes: Buffer): Buffer {
  if (bytes.length < HEADER_LENGTH || !SECRET_IDS.includes(bytes.readUInt32BE(4))) return bytes
  const { pdu } = decodePdu(bytes)
  if (pdu?.body && 'password' in pdu.body) {
    return encodePdu({ ...pdu, body: { ...pdu.body, password: BLANKED } } as Pdu)
  }
  const header = Buffer.from(bytes.subarray(0, HEADER_LENGTH))
  header.writeUInt32BE(HEADER_LENGTH, 0)
  return header
}
