// Names of the networks and routes.

export const CARRIER_NAMES: Record<string, string> = {
  att: 'AT&T',
  tmo: 'T-Mobile',
  other: 'Other networks',
}

export const ROUTE_NAMES: Record<string, string> = {
  'att-sms': 'AT&T, SMS',
  'att-mms': 'AT&T, MMS',
  tmo: 'T-Mobile',
  open: 'Other networks',
}
