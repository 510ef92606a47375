import { counter, logger } from '@parley/telemetry'

const log = logger('accounts')
const signIns = counter('parley.accounts.sign_ins', {
  description: 'Sign-ins, by outcome; failures are counted only for sign-ins with a password',
  unit: '{sign_in}',
  labels: ['parley.outcome'],
})
const ended = counter('parley.accounts.credentials_ended', {
  description: 'Changes that end some or all credentials of an account, by reason',
  unit: '{change}',
  labels: ['parley.reason'],
})

const incompleteResponses = counter('parley.accounts.incomplete_answers', {
  description: 'Responses without the data of an unavailable deployable',
  unit: '{answer}',
  labels: ['parley.service'],
})

export const reportSignIn = (userId: string) => {
  signIns(1, { 'parley.outcome': 'succeeded' })
  log.info({ userId }, 'signed in')
}
export const countFailedSignIn = () => signIns(1, { 'parley.outcome': 'failed' })
export const reportCredentialsEnded = (userId: string, reason: string) => {
  ended(1, { 'parley.reason': reason })
  log.info({ userId, reason }, 'credentials ended')
}
export const reportIncompleteViewer = (service: string, error: unknown) => {
  incompleteResponses(1, { 'parley.service': service })
  log.warn({ service, err: error }, 'GetViewer returned without the data of an unavailable service')
}
const presenceFailures = counter('parley.accounts.presence_failures', {
  description: 'Presence queries and hints that failed because Redis or the bus was unavailable',
  unit: '{question}',
})
/** Logged only for debugging, because in an outage every query fails. */
export const reportPresenceFailure = (error: unknown) => {
  presenceFailures(1)
  log.debug({ err: error }, 'presence is unavailable')
}
const mails = counter('parley.accounts.mails', {
  description: 'Mails that were sent, given up or over the hourly limit, by kind and outcome',
  unit: '{mail}',
  labels: ['parley.kind', 'parley.outcome'],
})

export const countSentMail = (kind: string) => mails(1, { 'parley.kind': kind, 'parley.outcome': 'sent' })
export const reportFailedMail = (kind: string, codes: { code?: string; responseCode?: number }, isFinal: boolean) => {
  if (isFinal) mails(1, { 'parley.kind': kind, 'parley.outcome': 'failed' })
  log.warn({ kind, ...codes }, isFinal ? 'a mail could not be sent' : 'a mail could not be sent; retrying')
}
/** An alert uses this outcome. */
export const reportMailOverBudget = (kind: string) => {
  mails(1, { 'parley.kind': kind, 'parley.outcome': 'over_budget' })
  log.debug({ kind }, 'a mail was not sent: the hourly limit is reached')
}
export const logServerNameFailure = (error: unknown) =>
  log.warn({ err: error }, 'admin did not return the name of the server')
export const logExtensionFailure = (error: unknown) =>
  log.warn({ err: error }, 'the lifetime of credentials could not be extended after their use')
export const logBackgroundFailure = (error: unknown) => log.warn({ err: error }, 'a background task failed')
export const logAccountCreated = (userId: string) => log.info({ userId }, 'account created')
export const logOwnerAppointed = (userId: string) => log.info({ userId }, 'an account became an owner')

const providerSignIns = counter('parley.accounts.provider_sign_ins', {
  description: 'Callbacks from sign-in providers, by provider and outcome',
  unit: '{sign_in}',
  labels: ['parley.provider', 'parley.outcome'],
})
export const countProviderSignIn = (provider: string, outcome: string) =>
  providerSignIns(1, { 'parley.provider': provider, 'parley.outcome': outcome })
export const logProviderFailure = (provider: string, error: unknown) =>
  log.warn({ provider, reason: messageOf(error) }, 'a sign-in provider could not be used')
export const logDiscoveryFailure = (provider: string, error: unknown) =>
  log.warn(
    { provider, reason: messageOf(error) },
    'the discovery document of a sign-in provider could not be used; the previous one stays in use',
  )
export const logProfileFailure = (provider: string, error: unknown) =>
  log.warn({ provider, reason: messageOf(error) }, 'the profile of a new identity could not be read from its provider')
export const logAvatarFailure = (userId: string, error: unknown) =>
  log.info({ userId, reason: messageOf(error) }, 'an avatar could not be imported from a provider')
export const logIdentityLinked = (userId: string, provider: string) => log.info({ userId, provider }, 'identity linked')
export const logIdentityUnlinked = (userId: string, provider: string) =>
  log.info({ userId, provider }, 'identity unlinked')

const messageOf = (error: unknown) => (error instanceof Error ? error.message : 'unknown')
export const logAccountDeleted = (userId: string) => log.info({ userId }, 'account deleted')
export const logDeletionStepFailure = (userId: string, error: unknown) =>
  log.warn({ userId, err: error }, 'a step of an account deletion failed; it will be retried')
export const logDeletionCompleted = (userId: string) =>
  log.info({ userId }, 'the data of a deleted account was erased in every service')
