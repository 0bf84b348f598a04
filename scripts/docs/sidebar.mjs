// The order of the documentation site, by reader. Names are files of this repository. `below` lists a folder's other
// pages under its entry while the reader is in it. A test checks that every page is reachable from here.

export const SIDEBAR = [
  {
    title: 'Start',
    about: 'From nothing to a delivered message',
    pages: [
      { file: 'docs/README.md', title: 'Overview' },
      { file: 'docs/start.md', title: 'Your first message' },
      { file: 'docs/is-longcode-for-you.md' },
      { file: 'docs/console.md', title: 'The console' },
    ],
  },
  {
    title: 'Guides',
    about: 'For developers who send and receive messages',
    pages: [
      { file: 'docs/10dlc.md', title: '10DLC explained' },
      { file: 'docs/sending.md', title: 'Sending' },
      { file: 'docs/media.md', title: 'Pictures and files' },
      { file: 'docs/opt-outs.md' },
      { file: 'docs/inbox.md' },
      { file: 'docs/limits.md', title: 'Limits' },
      { file: 'docs/idempotency.md' },
      { file: 'docs/webhooks.md' },
      { file: 'docs/testing.md', title: 'Testing with the clock' },
      { file: 'docs/billing.md' },
      { file: 'docs/smpp-server.md' },
      { file: 'docs/twilio.md' },
      { file: 'docs/going-live.md', title: 'Going live' },
      { file: 'examples/README.md', title: 'Examples' },
    ],
  },
  {
    title: 'Migrate',
    about: 'For programs that use another API today',
    pages: [
      { file: 'docs/migrate/twilio.md', title: 'From Twilio' },
      { file: 'docs/migrate/telnyx.md', title: 'From Telnyx' },
      { file: 'docs/migrate/bandwidth.md', title: 'From Bandwidth' },
    ],
  },
  {
    title: 'Operate',
    about: 'For the people who run the service',
    pages: [
      { file: 'docs/production.md', title: 'Production' },
      { file: 'docs/kubernetes.md', title: 'Kubernetes' },
      { file: 'docs/carriers.md', title: 'Carriers', below: 'docs/carriers/' },
      { file: 'docs/calls.md', title: 'Calls' },
      { file: 'docs/operations.md', title: 'Operations' },
      { file: 'docs/people.md', title: 'People and roles' },
      { file: 'docs/role-matrix.md', title: 'Roles by operation' },
      { file: 'docs/runbooks/README.md', title: 'Runbooks', below: 'docs/runbooks/' },
      { file: 'docs/tracing.md', title: 'Tracing' },
      { file: 'docs/scale.md', title: 'Scale' },
      { file: 'docs/performance.md', title: 'Performance' },
      { file: 'docs/tested-live.md', title: 'What has been tested live' },
      { file: 'docs/releases.md', title: 'Releases and upgrades' },
    ],
  },
  {
    title: 'Reference',
    about: 'To look things up',
    pages: [
      { file: 'openapi.json', title: 'API' },
      { file: 'docs/errors.md' },
      { file: '.env.example', title: 'Settings' },
      { file: 'docs/command-line.md', title: 'Command line' },
      { file: 'docs/interface.md', title: 'The contract' },
      { file: 'docs/glossary.md' },
      { file: 'CHANGELOG.md' },
    ],
  },
  {
    title: 'Project',
    about: 'For contributors',
    pages: [
      { file: 'ARCHITECTURE.md' },
      { file: 'CONTRIBUTING.md' },
      { file: 'docs/decisions/README.md', below: 'docs/decisions/' },
      { file: 'SECURITY.md' },
      { file: 'CODE_OF_CONDUCT.md' },
    ],
  },
]
