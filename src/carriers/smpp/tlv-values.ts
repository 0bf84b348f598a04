// Optional parameters defined in the contract with one carrier, written and read according to the link's settings.

import type { Network } from '../../messages/carrier-port.js'
import { INT_BYTES, type Tlv } from '../../smpp/pdu/tlv.js'
import type { NetworkTlv, TlvFormat } from './smpp-settings.js'

const PRINTABLE = /^[ -~]+$/

/** Throws if it is not a number, or too large. The settings reader has checked this. */
export function writeTlvValue(format: TlvFormat, value: string): Buffer {
  switch (format) {
    case 'cstring':
      return Buffer.from(`${value}\0`, 'latin1')
    case 'text':
      return Buffer.from(value, 'latin1')
    case 'hex':
      return Buffer.from(value, 'hex')
    default: {
      const bytes = Buffer.alloc(INT_BYTES[format])
      bytes.writeUIntBE(Number(value), 0, bytes.length)
      return bytes
    }
  }
}

/** Undefined: the carrier sent none. Null: an unknown network. */
export function readNetwork(
  tlvs: readonly Tlv[],
  setting: NetworkTlv | null,
): Network | null | undefined {
  const bytes = setting && findTlv(tlvs, setting.tag)
  if (!bytes || bytes.length === 0) return undefined
  const { networks } = setting
  const found = networks.get(textOf(bytes))
  if (found !== undefined || bytes.length > 4) return found ?? null
  return networks.get(String(bytes.readUIntBE(0, bytes.length))) ?? null
}

/** As text if it is text, otherwise in hex. Null if it is absent or empty. */
export function readTlvText(tlvs: readonly Tlv[], tag: number | null): string | null {
  const bytes = tag === null ? null : findTlv(tlvs, tag)
  if (!bytes) return null
  const text = textOf(bytes)
  return PRINTABLE.test(text) ? text : bytes.toString('hex') || null
}

function findTlv(tlvs: readonly Tlv[], tag: number): Buffer | null {
  return tlvs.find((tlv) => tlv.tag === tag)?.value ?? null
}

function textOf(bytes: Buffer): string {
  const end = bytes.indexOf(0)
  return bytes.toString('latin1', 0, end === -1 ? bytes.length : end).trim()
}
