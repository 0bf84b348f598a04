// The mandatory fields of PDUs, as tables. The codec and the types are built from them. Names are from the
// specification. Its limits apply, except where carriers are known to exceed them: passwords, message IDs, and
// addresses may be longer than the specification allows.

import { STATUS } from './status.js'

export interface Field {
  name: string
  /** One byte, NUL-terminated text, or bytes after a length byte. */
  kind: 'byte' | 'cstring' | 'bytes'
  /** Maximum bytes, including the NUL. */
  max: number
  /** The status that answers a value that is too long. */
  status: number
}

interface FieldOf<N extends string, K extends Field['kind']> extends Field {
  name: N
  kind: K
}

interface ValueOf {
  byte: number
  cstring: string
  bytes: Buffer
}

export type BodyOfFields<F extends readonly Field[]> = {
  -readonly [E in F[number] as E['name']]: ValueOf[E['kind']]
}

function byte<N extends string>(name: N): FieldOf<N, 'byte'> {
  return { name, kind: 'byte', max: 1, status: STATUS.ESME_RINVPARLEN.code }
}

function cstring<N extends string>(
  name: N,
  max: number,
  status: number = STATUS.ESME_RINVPARLEN.code,
): FieldOf<N, 'cstring'> {
  return { name, kind: 'cstring', max, status }
}

const ADDRESS_MAX = 65
const MESSAGE_ID_MAX = 255
const PASSWORD_MAX = 65
const SYSTEM_ID_MAX = 65

const systemId = cstring('systemId', SYSTEM_ID_MAX, STATUS.ESME_RINVSYSID.code)
const password = cstring('password', PASSWORD_MAX, STATUS.ESME_RINVPASWD.code)
const messageId = cstring('messageId', MESSAGE_ID_MAX, STATUS.ESME_RINVMSGID.code)
const serviceType = cstring('serviceType', 6, STATUS.ESME_RINVSERTYP.code)
const scheduleDeliveryTime = cstring('scheduleDeliveryTime', 17, STATUS.ESME_RINVSCHED.code)
const validityPeriod = cstring('validityPeriod', 17, STATUS.ESME_RINVEXPIRY.code)
const shortMessage: FieldOf<'shortMessage', 'bytes'> = {
  name: 'shortMessage',
  kind: 'bytes',
  max: 255,
  status: STATUS.ESME_RINVMSGLEN.code,
}

const SOURCE = [
  byte('sourceAddrTon'),
  byte('sourceAddrNpi'),
  cstring('sourceAddr', ADDRESS_MAX, STATUS.ESME_RINVSRCADR.code),
] as const
const DESTINATION = [
  byte('destAddrTon'),
  byte('destAddrNpi'),
  cstring('destinationAddr', ADDRESS_MAX, STATUS.ESME_RINVDSTADR.code),
] as const

export const NONE = [] as const
export const SYSTEM_ID = [systemId] as const
export const MESSAGE_ID = [messageId] as const
export const OUTBIND = [systemId, password] as const

export const BIND = [
  systemId,
  password,
  cstring('systemType', 13, STATUS.ESME_RINVSYSTYP.code),
  byte('interfaceVersion'),
  byte('addrTon'),
  byte('addrNpi'),
  cstring('addressRange', 41),
] as const

/** submit_sm and deliver_sm have the same body. */
export const SHORT_MESSAGE = [
  serviceType,
  ...SOURCE,
  ...DESTINATION,
  byte('esmClass'),
  byte('protocolId'),
  byte('priorityFlag'),
  scheduleDeliveryTime,
  validityPeriod,
  byte('registeredDelivery'),
  byte('replaceIfPresentFlag'),
  byte('dataCoding'),
  byte('smDefaultMsgId'),
  shortMessage,
] as const

export const DATA = [
  serviceType,
  ...SOURCE,
  ...DESTINATION,
  byte('esmClass'),
  byte('registeredDelivery'),
  byte('dataCoding'),
] as const

export const QUERY = [messageId, ...SOURCE] as const
export const QUERY_RESPONSE = [
  messageId,
  cstring('finalDate', 17),
  byte('messageState'),
  byte('errorCode'),
] as const

export const CANCEL = [serviceType, messageId, ...SOURCE, ...DESTINATION] as const

export const REPLACE = [
  messageId,
  ...SOURCE,
  scheduleDeliveryTime,
  validityPeriod,
  byte('registeredDelivery'),
  byte('smDefaultMsgId'),
  shortMessage,
] as const

export const ALERT = [
  ...SOURCE,
  byte('esmeAddrTon'),
  byte('esmeAddrNpi'),
  cstring('esmeAddr', ADDRESS_MAX),
] as const
