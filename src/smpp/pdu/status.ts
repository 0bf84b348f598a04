// Command statuses of responses. The names are from the specification (the last ones are from SMPP 5.0, and
// carriers use them). 0x400 to 0x4ff are vendor-specific and have no name.

interface StatusEntry {
  code: number
  /** For people who read a log or a timeline. */
  sentence: string
}

export const STATUS = {
  ESME_ROK: { code: 0x00, sentence: 'No error' },
  ESME_RINVMSGLEN: { code: 0x01, sentence: 'The message length is invalid' },
  ESME_RINVCMDLEN: { code: 0x02, sentence: 'The command length is invalid' },
  ESME_RINVCMDID: { code: 0x03, sentence: 'The command id is invalid' },
  ESME_RINVBNDSTS: { code: 0x04, sentence: 'The command does not fit the state of the bind' },
  ESME_RALYBND: { code: 0x05, sentence: 'Already bound' },
  ESME_RINVPRTFLG: { code: 0x06, sentence: 'The priority flag is invalid' },
  ESME_RINVREGDLVFLG: { code: 0x07, sentence: 'The registered delivery flag is invalid' },
  ESME_RSYSERR: { code: 0x08, sentence: 'System error' },
  ESME_RINVSRCADR: { code: 0x0a, sentence: 'The source address is invalid' },
  ESME_RINVDSTADR: { code: 0x0b, sentence: 'The destination address is invalid' },
  ESME_RINVMSGID: { code: 0x0c, sentence: 'The message id is invalid' },
  ESME_RBINDFAIL: { code: 0x0d, sentence: 'The bind failed' },
  ESME_RINVPASWD: { code: 0x0e, sentence: 'The password is invalid' },
  ESME_RINVSYSID: { code: 0x0f, sentence: 'The system id is invalid' },
  ESME_RCANCELFAIL: { code: 0x11, sentence: 'The message could not be canceled' },
  ESME_RREPLACEFAIL: { code: 0x13, sentence: 'The message could not be replaced' },
  ESME_RMSGQFUL: { code: 0x14, sentence: 'The message queue is full' },
  ESME_RINVSERTYP: { code: 0x15, sentence: 'The service type is invalid' },
  ESME_RINVNUMDESTS: { code: 0x33, sentence: 'The number of destinations is invalid' },
  ESME_RINVDLNAME: { code: 0x34, sentence: 'The distribution list is invalid' },
  ESME_RINVDESTFLAG: { code: 0x40, sentence: 'The destination flag is invalid' },
  ESME_RINVSUBREP: { code: 0x42, sentence: 'A submit with replace is invalid' },
  ESME_RINVESMCLASS: { code: 0x43, sentence: 'The esm_class is invalid' },
  ESME_RCNTSUBDL: { code: 0x44, sentence: 'Cannot submit to a distribution list' },
  ESME_RSUBMITFAIL: { code: 0x45, sentence: 'The submit failed' },
  ESME_RINVSRCTON: { code: 0x48, sentence: 'The type of number of the source is invalid' },
  ESME_RINVSRCNPI: { code: 0x49, sentence: 'The numbering plan of the source is invalid' },
  ESME_RINVDSTTON: { code: 0x50, sentence: 'The type of number of the destination is invalid' },
  ESME_RINVDSTNPI: { code: 0x51, sentence: 'The numbering plan of the destination is invalid' },
  ESME_RINVSYSTYP: { code: 0x53, sentence: 'The system type is invalid' },
  ESME_RINVREPFLAG: { code: 0x54, sentence: 'The replace flag is invalid' },
  ESME_RINVNUMMSGS: { code: 0x55, sentence: 'The number of messages is invalid' },
  ESME_RTHROTTLED: { code: 0x58, sentence: 'More messages than allowed' },
  ESME_RINVSCHED: { code: 0x61, sentence: 'The scheduled delivery time is invalid' },
  ESME_RINVEXPIRY: { code: 0x62, sentence: 'The validity period is invalid' },
  ESME_RINVDFTMSGID: { code: 0x63, sentence: 'The predefined message does not exist' },
  ESME_RX_T_APPN: { code: 0x64, sentence: 'The receiver had a temporary error' },
  ESME_RX_P_APPN: { code: 0x65, sentence: 'The receiver had a permanent error' },
  ESME_RX_R_APPN: { code: 0x66, sentence: 'The receiver rejected the message' },
  ESME_RQUERYFAIL: { code: 0x67, sentence: 'The query failed' },
  ESME_RINVOPTPARSTREAM: { code: 0xc0, sentence: 'The optional part of the PDU is broken' },
  ESME_ROPTPARNOTALLWD: { code: 0xc1, sentence: 'An optional parameter is not allowed' },
  ESME_RINVPARLEN: { code: 0xc2, sentence: 'The length of a parameter is invalid' },
  ESME_RMISSINGOPTPARAM: { code: 0xc3, sentence: 'An expected optional parameter is missing' },
  ESME_RINVOPTPARAMVAL: { code: 0xc4, sentence: 'The value of an optional parameter is invalid' },
  ESME_RDELIVERYFAILURE: { code: 0xfe, sentence: 'The delivery failed' },
  ESME_RUNKNOWNERR: { code: 0xff, sentence: 'Unknown error' },
  ESME_RSERTYPUNAUTH: { code: 0x100, sentence: 'Not authorised for this service type' },
  ESME_RPROHIBITED: { code: 0x101, sentence: 'Prohibited from this operation' },
  ESME_RSERTYPUNAVAIL: { code: 0x102, sentence: 'The service type is unavailable' },
  ESME_RSERTYPDENIED: { code: 0x103, sentence: 'The service type is denied' },
  ESME_RINVDCS: { code: 0x104, sentence: 'The data coding is invalid' },
  ESME_RINVSRCADDRSUBUNIT: { code: 0x105, sentence: 'The subunit of the source is invalid' },
  ESME_RINVDSTADDRSUBUNIT: { code: 0x106, sentence: 'The subunit of the destination is invalid' },
} as const satisfies Record<string, StatusEntry>

export type StatusName = keyof typeof STATUS

const NAMES = new Map<number, StatusName>(
  Object.entries(STATUS).map(([name, { code }]) => [code, name as StatusName]),
)

/** Null for a vendor-specific or undefined code. */
export function statusName(code: number): StatusName | null {
  return NAMES.get(code) ?? null
}

/** For people: `ESME_RTHROTTLED (0x58): More messages than allowed`. */
export function describeStatus(code: number): string {
  const hex = `0x${code.toString(16).padStart(2, '0')}`
  const name = statusName(code)
  return name
    ? `${name} (${hex}): ${STATUS[name].sentence}`
    : `status ${hex} of the other side’s own`
}
