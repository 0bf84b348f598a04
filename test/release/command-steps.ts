// Every command of docs/command-line.md as an operator and a customer use it, in an order in which each one has something
// to work on. `brd_…` is the last ID of that kind that was printed. Words in capitals, such as NUMBER, are filled in by the test.

export interface Step {
  /** As typed after `longcode`. */
  line: string
  /** What it prints, to standard output or standard error. */
  prints: RegExp
  code: number
}

const step = (line: string, prints: RegExp, code = 0): Step => ({ line, prints, code })

const BRAND = `--entity-type PRIVATE_PROFIT --entity-name 'Blue Door Bistro LLC' --ein 12-3456789
  --website https://bluedoor.example --street '1 Main St' --city 'San Francisco' --state CA --postal-code 94105 --country US
  --first-name Ana --last-name Diaz --email ana@bluedoor.example --phone +14155550100`.replaceAll(
  '\n',
  ' ',
)
const CAMPAIGN =
  `--usecase CUSTOMER_CARE --description 'Replies to questions that guests send us by text message.'
  --consent-flow 'Guests text us first. The number is on the menu, with the terms and STOP.'
  --sample 'Blue Door: yes, we have a vegan menu. Reply STOP to opt out.'
  --sample 'Blue Door: we open at 5 PM. Reply STOP to opt out.'`.replaceAll('\n', ' ')

const INSTALLATION = [
  step('migrate', /^Nothing to do\.$/m),
  step('distribute', /^This database does not have Citus\./m, 1),
  step('doctor --ledger', /^No problems found\.$/m),
  step('completion bash', /complete .*longcode/),
  step('completion zsh', /compdef .*longcode/),
  step('completion fish', /complete .*longcode/),
]

const ACCOUNTS = [
  step("account create 'Blue Door Bistro' --credit 10", /^id +acc_\w+$/m),
  step('account show acc_…', /Blue Door Bistro/),
  step('account change acc_… --message-days 30', /^messageRetentionDays +30$/m),
  step("account credit acc_… 5 --note 'Invoice 17' --reference inv-17", /^balance +15$/m),
  step('credit acc_… 5 --note Gift', /^balance +20$/m),
  step('account correct acc_… -2.50 --note Mistake', /^balance +17\.5$/m),
  step('smpp limit acc_… --rate 50 --binds 2', /^rate 50, binds 2,/m),
  step('token create --account acc_… --smpp', /^System ID \w+, password \w+$/m),
  step('smpp allow SYSTEM_ID 192.0.2.0/24', /^SYSTEM_ID can bind from 192\.0\.2\.0\/24\.$/m),
  step('smpp show acc_…', /192\.0\.2\.0\/24/),
  step('quota limit acc_… --queued 1000 --media-mb 5', /^mediaBytes +0 bytes +5 MB +account$/m),
  step('quota show acc_…', /^queuedMessages +0 +1,000 +account$/m),
  step('price set sms 0.0065 --account acc_…', /0\.0065/),
  step('price list --account acc_…', /0\.0065/),
  step('account suspend acc_… --reason Test', /SUSPENDED/),
  step('account resume acc_… --reason Test', /ACTIVE/),
  step('account suspend acc_… --reason Test', /SUSPENDED/),
  step('account delete acc_… --reason Test --yes', /^Deleted acc_\w+: \d+ rows\./m),
  step('account list --status DELETED', /DELETED/),
  step('token create --operator --name ana', /^lco_\S+$/m),
  step('token list --operator', /\bana\b/),
  step('token revoke tok_… --operator', /^Revoked tok_\w+\.$/m),
]

const REGISTRATION = [
  step(`brand create ${BRAND}`, /brd_\w+ is PENDING\./),
  step('brand list', /brd_\w+.*PENDING/),
  step('brand queue', /brd_\w+/),
  step("brand refuse brd_… --note ein='Belongs to another company'", /^brd_\w+ is UNVERIFIED\.$/m),
  step('brand show brd_…', /Belongs to another company/),
  step('brand submit brd_…', /^brd_\w+ is PENDING\.$/m),
  step('brand verify brd_…', /^brd_\w+ is VERIFIED\.$/m),
  step('brand vet brd_… 80', /^brd_\w+ is VETTED\.$/m),
  step(`campaign create --brand brd_… ${CAMPAIGN}`, /cmp_\w+ is PENDING\./),
  step('campaign list', /cmp_\w+.*PENDING/),
  step('campaign queue', /cmp_\w+/),
  step(
    "campaign return cmp_… --note description='Say who receives these'",
    /^cmp_\w+ is DRAFT\.$/m,
  ),
  step('campaign show cmp_…', /Say who receives these/),
  step('campaign submit cmp_…', /^cmp_\w+ is PENDING\.$/m),
  step('campaign approve cmp_…', /^cmp_\w+ is ACTIVE\.$/m),
  step('campaign limits cmp_… --sms-att 75', /^Limits: 75 SMS\/min/m),
  step('campaign suspend cmp_… --reason Test', /SUSPENDED/),
  step('campaign resume cmp_… --reason Test', /ACTIVE/),
]

const NUMBERS = [
  step('number import FOLDER/numbers.csv', /^Imported 2 numbers\.$/m),
  step('number hosts NUMBER --links LINK', /^1 number is hosted by LINK\.$/m),
  step('number search --area-code 415', /NUMBER/),
  step('number buy NUMBER --campaign cmp_…', /^Bought NUMBER/m),
  step('number list', /NUMBER/),
  step('number clear-refusal NUMBER', /^No carrier refuses NUMBER\.$/m),
]

/** Nobody has accepted an invitation here, so the last three have no person to work on. */
const PEOPLE = [
  step('user invite ana@bluedoor.example --account acc_… --role owner', /\/console\//),
  step('user list', /No |id/i),
  step('user role ana@bluedoor.example support', /not found/i, 1),
  step('user recover ana@bluedoor.example', /not found/i, 1),
  step('user delete ana@bluedoor.example', /not found/i, 1),
]

const MESSAGES = [
  step('send --from NUMBER --to +14155550101 --body Hello --wait', /msg_\w+ DELIVERED/),
  step('message show msg_…', /DELIVERED/),
  step('message timeline msg_…', /Delivered \(confirmed by the carrier\)$/m),
  step('message list --campaign cmp_…', /msg_\w+.*DELIVERED/),
  step('message find msg_… --reason Ticket', /msg_\w+.*DELIVERED/),
  step('send --from NUMBER --to +14155550101 --body Later --at IN_AN_HOUR', /^msg_\w+ SCHEDULED$/m),
  step('message cancel msg_…', /^Canceled msg_\w+\.$/m),
  step('inbound --from +14155550102 --to NUMBER --body Hello', /^msg_\w+ received$/m),
  step('optout add cmp_… +14155550103 --reason Letter', /^\+14155550103 is opted out\.$/m),
  step('optout list cmp_…', /\+14155550103/),
  step('optout remove cmp_… +14155550103 --reason Consent', /^\+14155550103 is opted in again\.$/m),
  step('optout show cmp_… +14155550103', /Consent/),
  step('redact --days 1', /^Deleted the texts of 0 messages/m),
]

const WEBHOOKS = [
  step('webhook create cmp_… ENDPOINT', /whk_\w+/),
  step('webhook show whk_…', /ENDPOINT/),
  step('webhook change whk_… --events message.status', /message\.status/),
  step('webhook test whk_…', /^dlv_\w+ (?:pending|delivered)/m),
  step('webhook deliveries whk_…', /^dlv_\w+ +message\.status /m),
  step('webhook replay whk_… dlv_…', /^dlv_\w+ (?:pending|delivered)/m),
  step('webhook disable whk_…', /is disabled\./),
  step('webhook list', /^whk_\w+ +false /m),
  step('webhook enable whk_…', /is enabled\./),
  step('webhook rotate whk_…', /whsec_/),
  step('webhook delete whk_…', /^Deleted whk_\w+\.$/m),
]

const CARRIERS = [
  step('carrier check', / is valid\. Links: LINK \(smpp\)\./),
  step('carrier status', /^LINK +smpp +up /m),
  step('carrier pause LINK --reason Maintenance', /^LINK is paused\./m),
  step('carrier resume LINK', /^LINK is active again\.$/m),
  step('carrier reload', /: reloaded$/m),
  step(
    'carrier add telnyx --number NUMBER --file FOLDER/telnyx.yaml --public-url PUBLIC_URL --no-input',
    /^ok +check /m,
  ),
]

const CALLS = [
  step('voice trunks', /^sandbox /m),
  step('call NUMBER', /^480 The caller hears that the number is unavailable/m),
  step('voice route NUMBER', /^NUMBER: 480\. The number is not forwarded\.$/m),
  step('voice stop NUMBER --reason Fraud', /^NUMBER is no longer forwarded/m),
  step('voice allow NUMBER --reason Checked', /^NUMBER can be forwarded again\.$/m),
  step('voice calls', / NUMBER +not_forwarded /),
]

const END = [
  step('number release NUMBER', /^Released NUMBER\.$/m),
  step('number withdraw OTHER_NUMBER', /^Withdrew 1 number\.$/m),
  step('campaign end cmp_… --reason Closed --yes', /^The campaign has ended\./m),
  step('audit', /campaign\.end/),
  step('export --out FOLDER/account.ndjson', /^Exported \d+ records/m),
]

export const STEPS: readonly Step[] = [
  ...INSTALLATION,
  ...ACCOUNTS,
  ...REGISTRATION,
  ...NUMBERS,
  ...PEOPLE,
  ...MESSAGES,
  ...WEBHOOKS,
  ...CARRIERS,
  ...CALLS,
  ...END,
]
