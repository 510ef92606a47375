import { counter, logger } from '@parley/telemetry'

const log = logger('calls')
const webhooks = counter('parley.calls.webhooks', {
  description: 'Webhooks of the media server, by outcome',
  unit: '{request}',
  labels: ['parley.outcome'],
})
const mediaFailures = counter('parley.calls.media_server_failures', {
  description: 'Failed requests to the media server',
  unit: '{request}',
})
const endingsFailed = counter('parley.calls.ending_failures', {
  description:
    'Failed attempts to end a call while the media server is unreachable or not configured; they are retried',
  unit: '{call}',
})

export const countWebhook = (outcome: 'taken' | 'ignored' | 'refused'): void =>
  webhooks(1, { 'parley.outcome': outcome })

export function reportMediaFailure(error: unknown, what: string): void {
  mediaFailures(1)
  log.warn({ err: error, what }, 'a request to the media server failed')
}

export const reportAccountsFailure = (error: unknown): void =>
  log.warn({ err: error }, 'accounts does not say who is deactivated; nobody counts as deactivated')

export const reportComparisonFailure = (error: unknown, callId: string): void =>
  log.warn({ err: error, callId }, 'a call could not be compared with the media server; the next comparison retries it')

export const reportListingsFailed = (): void => log.error('the media server does not answer; ending every call')

export function reportEndingFailed(error: unknown, callId: string): void {
  endingsFailed(1)
  log.error({ err: error, callId }, 'a call could not be ended; the next run retries it')
}

export const reportChoreGivenUp = (mediaRoom: string): void =>
  log.error(
    { mediaRoom },
    'a request to the media server was given up after repeated failures; the next comparison takes over',
  )

export const reportFailedRequest = (error: unknown): void => log.error({ err: error }, 'a request failed unexpectedly')
