import { counter, logger } from '@parley/telemetry'

const log = logger('calls')
const webhooksTaken = counter('calls_webhooks_total', {
  description: 'Webhooks of the media server, by outcome',
})
const mediaFailures = counter('calls_media_server_failures_total', {
  description: 'Requests that the media server did not answer, or refused',
})
const endingsFailed = counter('calls_endings_failed_total', {
  description: 'Calls that could not be ended when all were; each is tried again',
})

export const countWebhook = (outcome: 'taken' | 'ignored' | 'refused'): void => webhooksTaken(1, { outcome })

export function reportMediaFailure(error: unknown, what: string): void {
  mediaFailures()
  log.warn({ err: error, what }, 'a request to the media server failed')
}

export const reportListingsFailed = (): void => log.error('the media server does not answer; every call is ended')

export function reportEndingFailed(error: unknown, callId: string): void {
  endingsFailed()
  log.error({ err: error, callId }, 'a call could not be ended; it will be retried in the next round')
}

export const reportChoreGivenUp = (mediaRoom: string): void =>
  log.error({ mediaRoom }, 'a request to the media server expired; the next comparison takes over')

export const reportFailedRequest = (error: unknown): void => log.error({ err: error }, 'a request failed unexpectedly')
