import { counter, logger } from '@parley/telemetry'

const log = logger('calls')
const webhooksTaken = counter('calls_webhooks_total', {
  description: 'Webhooks of the media server, by what became of them',
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
  log.warn({ err: error, what }, 'the media server did not do what it was asked')
}

export const reportListingsFailed = (): void =>
  log.error('the media server cannot be asked who is there; every call is ended')

export function reportEndingFailed(error: unknown, callId: string): void {
  endingsFailed()
  log.error({ err: error, callId }, 'a call could not be ended; it is tried again with the next round')
}

export const reportChoreGivenUp = (mediaRoom: string): void =>
  log.error({ mediaRoom }, 'the media server was not told in time; the comparison with it goes on')

export const reportFailedRequest = (error: unknown): void => log.error({ err: error }, 'a request failed unexpectedly')
