// The bodies of submit_sm and deliver_sm, which make up nearly all traffic. Same result as their table in fields.ts
// (a test compares the two), but unrolled, because a loop over the table takes twice as long.

import { type BodyOfFields, SHORT_MESSAGE } from './fields.js'
import { type Reading, readByte, readBytes, readCstring } from './reading.js'
import { bytesLength, cstringLength, writeByte, writeBytes, writeCstring } from './writing.js'

type ShortMessageBody = BodyOfFields<typeof SHORT_MESSAGE>

const [
  serviceType,
  sourceAddrTon,
  sourceAddrNpi,
  sourceAddr,
  destAddrTon,
  destAddrNpi,
  destinationAddr,
  esmClass,
  protocolId,
  priorityFlag,
  scheduleDeliveryTime,
  validityPeriod,
  registeredDelivery,
  replaceIfPresentFlag,
  dataCoding,
  smDefaultMsgId,
  shortMessage,
] = SHORT_MESSAGE

/** Fields are read in this order. After a fault, all others are empty. */
export function readShortMessage(reading: Reading): ShortMessageBody {
  return {
    serviceType: readCstring(reading, serviceType),
    sourceAddrTon: readByte(reading, sourceAddrTon),
    sourceAddrNpi: readByte(reading, sourceAddrNpi),
    sourceAddr: readCstring(reading, sourceAddr),
    destAddrTon: readByte(reading, destAddrTon),
    destAddrNpi: readByte(reading, destAddrNpi),
    destinationAddr: readCstring(reading, destinationAddr),
    esmClass: readByte(reading, esmClass),
    protocolId: readByte(reading, protocolId),
    priorityFlag: readByte(reading, priorityFlag),
    scheduleDeliveryTime: readCstring(reading, scheduleDeliveryTime),
    validityPeriod: readCstring(reading, validityPeriod),
    registeredDelivery: readByte(reading, registeredDelivery),
    replaceIfPresentFlag: readByte(reading, replaceIfPresentFlag),
    dataCoding: readByte(reading, dataCoding),
    smDefaultMsgId: readByte(reading, smDefaultMsgId),
    shortMessage: readBytes(reading, shortMessage),
  }
}

const BYTES = 11

export function shortMessageLength(body: ShortMessageBody): number {
  return (
    BYTES +
    cstringLength(serviceType, body.serviceType) +
    cstringLength(sourceAddr, body.sourceAddr) +
    cstringLength(destinationAddr, body.destinationAddr) +
    cstringLength(scheduleDeliveryTime, body.scheduleDeliveryTime) +
    cstringLength(validityPeriod, body.validityPeriod) +
    bytesLength(shortMessage, body.shortMessage)
  )
}

export function writeShortMessage(frame: Buffer, start: number, body: ShortMessageBody): number {
  let at = writeCstring(frame, start, serviceType, body.serviceType)
  at = writeByte(frame, at, sourceAddrTon, body.sourceAddrTon)
  at = writeByte(frame, at, sourceAddrNpi, body.sourceAddrNpi)
  at = writeCstring(frame, at, sourceAddr, body.sourceAddr)
  at = writeByte(frame, at, destAddrTon, body.destAddrTon)
  at = writeByte(frame, at, destAddrNpi, body.destAddrNpi)
  at = writeCstring(frame, at, destinationAddr, body.destinationAddr)
  at = writeByte(frame, at, esmClass, body.esmClass)
  at = writeByte(frame, at, protocolId, body.protocolId)
  at = writeByte(frame, at, priorityFlag, body.priorityFlag)
  at = writeCstring(frame, at, scheduleDeliveryTime, body.scheduleDeliveryTime)
  at = writeCstring(frame, at, validityPeriod, body.validityPeriod)
  at = writeByte(frame, at, registeredDelivery, body.registeredDelivery)
  at = writeByte(frame, at, replaceIfPresentFlag, body.replaceIfPresentFlag)
  at = writeByte(frame, at, dataCoding, body.dataCoding)
  at = writeByte(frame, at, smDefaultMsgId, body.smDefaultMsgId)
  return writeBytes(frame, at, body.shortMessage)
}
