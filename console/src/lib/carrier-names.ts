// The names of carriers as statistics and limits distinguish them.

export const CARRIER_NAMES: Readonly<Record<string, string>> = {
  att: 'AT&T',
  tmo: 'T-Mobile',
  other: 'Verizon and others',
}
