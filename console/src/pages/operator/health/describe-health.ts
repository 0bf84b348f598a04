// What the networks and their routes are called.

export const CARRIER_NAMES: Record<string, string> = {
  att: 'AT&T',
  tmo: 'T-Mobile',
  other: 'Others',
}

export const ROUTE_NAMES: Record<string, string> = {
  'att-sms': 'AT&T, SMS',
  'att-mms': 'AT&T, MMS',
  tmo: 'T-Mobile',
  open: 'Others',
}
