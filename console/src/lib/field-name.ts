// The name of an API field as people say it, for errors and lists that have no label for it: `consentFlow` is Consent
// flow. Forms have their own labels.

const SPECIAL: Readonly<Record<string, string>> = {
  ein: 'EIN',
  url: 'URL',
  to: 'Recipient',
  from: 'Sender',
  usecase: 'Use case',
  subUsecases: 'Use cases',
  postalCode: 'ZIP code',
  forwardNumber: 'Forwarding number',
  optoutKeywords: 'Opt-out keywords',
  optoutMessage: 'Opt-out reply',
  optinKeywords: 'Opt-in keywords',
  optinMessage: 'Opt-in reply',
  helpMessage: 'Help reply',
}

/** `notes[2].field` is Field: the last name says what the sentence is about. */
export function fieldName(field: string): string {
  const last = field
    .split('.')
    .at(-1)!
    .replaceAll(/\[\d+\]/g, '')
  const special = SPECIAL[last]
  if (special) return special
  const words = last
    .replaceAll(/([a-z])([A-Z0-9])/g, '$1 $2')
    .toLowerCase()
    .replace(/\burls?\b/, (word) => word.replace('url', 'URL'))
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** The API's sentences start with the field's name. People read its label instead. */
export function relabel(sentence: string, field: string, label = fieldName(field)): string {
  return sentence.startsWith(`${field} `) ? `${label}${sentence.slice(field.length)}` : sentence
}
