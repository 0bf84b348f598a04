// Optional parameters. A PDU keeps them as received, tag and bytes: unknown, repeated, and odd-length ones are
// written back unchanged, and an invalid value never loses a message. A tag's meaning is looked up by name, in the
// standard table or in one with a vendor's entries.

export interface Tlv {
  readonly tag: number
  readonly value: Buffer
}

type TlvType = 'int1' | 'int2' | 'int4' | 'cstring' | 'bytes'

interface TlvEntry {
  readonly tag: number
  readonly type: TlvType
}

export type TlvTable = Readonly<Record<string, TlvEntry>>

export type TlvValue<T extends TlvType> = T extends 'cstring'
  ? string
  : T extends 'bytes'
    ? Buffer
    : number

const int1 = (tag: number) => ({ tag, type: 'int1' }) as const
const int2 = (tag: number) => ({ tag, type: 'int2' }) as const
const int4 = (tag: number) => ({ tag, type: 'int4' }) as const
const cstring = (tag: number) => ({ tag, type: 'cstring' }) as const
const bytes = (tag: number) => ({ tag, type: 'bytes' }) as const

/** All parameters of 3.4, then those of 5.0 that carriers use. */
export const STANDARD_TLVS = {
  destAddrSubunit: int1(0x0005),
  destNetworkType: int1(0x0006),
  destBearerType: int1(0x0007),
  destTelematicsId: int2(0x0008),
  sourceAddrSubunit: int1(0x000d),
  sourceNetworkType: int1(0x000e),
  sourceBearerType: int1(0x000f),
  sourceTelematicsId: int1(0x0010),
  qosTimeToLive: int4(0x0017),
  payloadType: int1(0x0019),
  additionalStatusInfoText: cstring(0x001d),
  receiptedMessageId: cstring(0x001e),
  msMsgWaitFacilities: int1(0x0030),
  privacyIndicator: int1(0x0201),
  sourceSubaddress: bytes(0x0202),
  destSubaddress: bytes(0x0203),
  userMessageReference: int2(0x0204),
  userResponseCode: int1(0x0205),
  sourcePort: int2(0x020a),
  destinationPort: int2(0x020b),
  sarMsgRefNum: int2(0x020c),
  languageIndicator: int1(0x020d),
  sarTotalSegments: int1(0x020e),
  sarSegmentSeqnum: int1(0x020f),
  scInterfaceVersion: int1(0x0210),
  callbackNumPresInd: int1(0x0302),
  callbackNumAtag: bytes(0x0303),
  numberOfMessages: int1(0x0304),
  callbackNum: bytes(0x0381),
  dpfResult: int1(0x0420),
  setDpf: int1(0x0421),
  msAvailabilityStatus: int1(0x0422),
  networkErrorCode: bytes(0x0423),
  messagePayload: bytes(0x0424),
  deliveryFailureReason: int1(0x0425),
  moreMessagesToSend: int1(0x0426),
  messageState: int1(0x0427),
  ussdServiceOp: int1(0x0501),
  displayTime: int1(0x1201),
  smsSignal: int2(0x1203),
  msValidity: int1(0x1204),
  /** Its presence is the value. It has no bytes. */
  alertOnMessageDelivery: bytes(0x130c),
  itsReplyType: int1(0x1380),
  itsSessionInfo: bytes(0x1383),

  congestionState: int1(0x0428),
  billingIdentification: bytes(0x060b),
  sourceNetworkId: cstring(0x060d),
  destNetworkId: cstring(0x060e),
  sourceNodeId: bytes(0x060f),
  destNodeId: bytes(0x0610),
  destAddrNpResolution: int1(0x0611),
  destAddrNpInformation: bytes(0x0612),
  destAddrNpCountry: bytes(0x0613),
} as const satisfies TlvTable

export const TLV_HEADER_LENGTH = 4
export const INT_BYTES = { int1: 1, int2: 2, int4: 4 } as const
const LENGTH_MAX = 0xffff

/** Undefined if it is absent, or if its bytes are not a valid number where a number is expected. */
export function readTlv<T extends TlvTable, N extends keyof T & string>(
  table: T,
  tlvs: readonly Tlv[],
  name: N,
): TlvValue<T[N]['type']> | undefined {
  const { tag, type } = table[name]!
  for (const tlv of tlvs) {
    if (tlv.tag === tag) return decoded(type, tlv.value) as TlvValue<T[N]['type']> | undefined
  }
  return undefined
}

/** The same for the standard table, the most common case. */
export function standardTlv<N extends keyof typeof STANDARD_TLVS>(
  tlvs: readonly Tlv[],
  name: N,
): TlvValue<(typeof STANDARD_TLVS)[N]['type']> | undefined {
  return readTlv(STANDARD_TLVS, tlvs, name)
}

/** Throws if the value does not fit, because the value is ours. */
export function makeTlv<T extends TlvTable, N extends keyof T & string>(
  table: T,
  name: N,
  value: TlvValue<T[N]['type']>,
): Tlv {
  const { tag, type } = table[name]!
  const written = bytesOf(type, value)
  if (written.length > LENGTH_MAX) throw new RangeError(`${name} is longer than a TLV may be`)
  return { tag, value: written }
}

export function makeStandardTlv<N extends keyof typeof STANDARD_TLVS>(
  name: N,
  value: TlvValue<(typeof STANDARD_TLVS)[N]['type']>,
): Tlv {
  return makeTlv(STANDARD_TLVS, name, value)
}

/** Numbers of another width are accepted, and a text may lack its NUL, because peers send both. */
function decoded(type: TlvType, value: Buffer): number | string | Buffer | undefined {
  if (type === 'bytes') return value
  if (type === 'cstring') {
    const end = value.indexOf(0)
    return value.toString('latin1', 0, end === -1 ? value.length : end)
  }
  return value.length >= 1 && value.length <= 4 ? value.readUIntBE(0, value.length) : undefined
}

function bytesOf(type: TlvType, value: number | string | Buffer): Buffer {
  if (typeof value === 'string') return Buffer.from(`${value}\0`, 'latin1')
  if (typeof value !== 'number') return value
  const written = Buffer.alloc(INT_BYTES[type as keyof typeof INT_BYTES])
  written.writeUIntBE(value, 0, written.length)
  return written
}
