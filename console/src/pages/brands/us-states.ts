// US states for a brand's address, by USPS code.

const STATES =
  'AL Alabama|AK Alaska|AZ Arizona|AR Arkansas|CA California|CO Colorado|CT Connecticut|DE Delaware|DC District of Columbia|FL Florida|GA Georgia|HI Hawaii|ID Idaho|IL Illinois|IN Indiana|IA Iowa|KS Kansas|KY Kentucky|LA Louisiana|ME Maine|MD Maryland|MA Massachusetts|MI Michigan|MN Minnesota|MS Mississippi|MO Missouri|MT Montana|NE Nebraska|NV Nevada|NH New Hampshire|NJ New Jersey|NM New Mexico|NY New York|NC North Carolina|ND North Dakota|OH Ohio|OK Oklahoma|OR Oregon|PA Pennsylvania|RI Rhode Island|SC South Carolina|SD South Dakota|TN Tennessee|TX Texas|UT Utah|VT Vermont|VA Virginia|WA Washington|WV West Virginia|WI Wisconsin|WY Wyoming|AS American Samoa|GU Guam|MP Northern Mariana Islands|PR Puerto Rico|VI U.S. Virgin Islands|AA Armed Forces Americas|AE Armed Forces Europe|AP Armed Forces Pacific'

const KNOWN = STATES.split('|').map((line) => ({
  value: line.slice(0, 2),
  label: line.slice(3),
}))

/** Keeps the current value as an option. */
export function stateOptions(now: string): readonly { value: string; label: string }[] {
  const isKnown = now === '' || KNOWN.some(({ value }) => value === now)
  const other = isKnown ? [] : [{ value: now, label: now }]
  return [{ value: '', label: 'Choose a state' }, ...KNOWN, ...other]
}
