// What people may do for the installation, by role. Operator tokens may do everything, like the role `operator`. An
// operation that no line names is for operators only. docs/people.md shows it.

import type { InstallationRole } from '../people/user.js'

const LOOKS_UP = [
  'operatorListAccounts',
  'operatorGetAccount',
  'operatorListBrands',
  'operatorGetBrand',
  'operatorListCampaigns',
  'operatorGetCampaign',
]

const ROLE_OPERATIONS: Readonly<Record<Exclude<InstallationRole, 'operator'>, readonly string[]>> =
  {
    reviewer: [
      ...LOOKS_UP,
      'operatorReviewQueue',
      'operatorVerifyBrand',
      'operatorRefuseBrand',
      'operatorVetBrand',
      'operatorApproveCampaign',
      'operatorReturnCampaign',
      'operatorSuspendCampaign',
      'operatorResumeCampaign',
    ],
    support: [
      ...LOOKS_UP,
      'operatorCountNumbers',
      'operatorListWebhooksOff',
      'operatorEnableWebhook',
      'operatorListOptouts',
      'operatorPutOptout',
      'operatorListCarriers',
      'operatorListPrices',
      'operatorGetSmpp',
      'operatorGetQuotas',
      'operatorRouteCall',
      'operatorSearchCalls',
      'operatorSearchMessages',
      'operatorGetMessage',
      'operatorGetHealth',
      'operatorListAlerts',
    ],
    finance: [
      'operatorListAccounts',
      'operatorGetAccount',
      'operatorCreditAccount',
      'operatorCorrectAccount',
      'operatorGetQuotas',
      'operatorListPrices',
      'operatorSetPrice',
    ],
  }

export function mayOperate(role: InstallationRole, operationId: string | undefined): boolean {
  const operations = operationsOf(role)
  return operations === null || (operationId !== undefined && operations.includes(operationId))
}

/** What a role may use; null: everything. */
export function operationsOf(role: InstallationRole): readonly string[] | null {
  return role === 'operator' ? null : ROLE_OPERATIONS[role]
}

/** For a test: every operation that a role names exists. */
export function namedOperations(): string[] {
  return [...new Set(Object.values(ROLE_OPERATIONS).flat())]
}
