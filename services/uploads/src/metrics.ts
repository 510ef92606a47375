import { counter, logger, oncePerMinute } from '@parley/telemetry'
import type { MemoryPlan } from './domain/memory.ts'
import { storageMismatch } from './errors.ts'

const log = logger('uploads')
const claimsWithoutImage = counter('parley.uploads.claims_without_image', {
  description: 'Events that refer to a missing public image',
  unit: '{event}',
})
const filesWithoutBytes = counter('parley.uploads.files_without_bytes', {
  description: 'Requests for public images and files whose bytes are missing or incomplete in the storage',
  unit: '{request}',
})
const failedDeletions = counter('parley.uploads.deletion_failures', {
  description: 'Failed attempts to delete bytes, which will be retried',
  unit: '{attempt}',
})
const sweepsRefused = counter('parley.uploads.sweeps_refused', {
  description: 'Sweeps that deleted nothing because the storage does not belong to the database',
  unit: '{sweep}',
  labels: ['parley.belonging'],
})
const deletionsRefused = counter('parley.uploads.deletions_refused', {
  description: 'Batches of deletions that wait because the storage does not belong to the database',
  unit: '{batch}',
  labels: ['parley.belonging'],
})

export function reportClaimWithoutImage(key: string, ownerId: string): void {
  claimsWithoutImage(1)
  log.error({ key, ownerId }, 'an event refers to an image that does not exist')
}

export function reportImageWithoutBytes(key: string): void {
  filesWithoutBytes(1)
  log.error({ key }, 'the bytes of an image are missing from the storage or incomplete')
}

export function reportFileWithoutBytes(assetId: string): void {
  filesWithoutBytes(1)
  log.error({ assetId }, 'the bytes of a file are missing from the storage or incomplete')
}

export const reportFailedRequest = (error: unknown): void => log.error({ err: error }, 'a request failed unexpectedly')

export const reportInterrupted = (error: unknown): void => log.warn({ err: error }, 'sending a file was interrupted')

export const logSwept = (what: string, count: number): void => log.info({ what, count }, 'deleted unused data')

/** A sweep deletes nothing, because the storage does not belong to the database. */
export function reportStorageMismatch(belonging: 'missing' | 'foreign'): void {
  sweepsRefused(1, { 'parley.belonging': belonging })
  log.error({ belonging }, storageMismatch(belonging).rawMessage)
}

export const countRefusedDeletions = (belonging: 'missing' | 'foreign'): void =>
  deletionsRefused(1, { 'parley.belonging': belonging })

export function reportFailedDeletion(id: string, error: unknown): void {
  failedDeletions(1)
  log.warn({ id, err: error }, 'bytes could not be deleted; the deletion will be retried')
}

export const reportLeftForJob = (error: unknown): void =>
  log.warn({ err: error }, 'bytes could not be deleted; a periodic job will delete them')

/**
 * The name of the error tells why the bucket cannot be used: for example, it does not exist, the access key is invalid,
 * or the server does not answer.
 */
export const reportStorageUnavailable = (bucket: string, error: unknown): void =>
  log.error({ bucket, err: error }, 'the bucket cannot be used; retrying')

export const reportStorageFailure = (error: unknown): void => storageFailed(kindOf(error), error)

const storageFailed = oncePerMinute((_kind, error: unknown) => log.error({ err: error }, 'the storage failed'))

const kindOf = (error: unknown): string =>
  error instanceof Error ? `${error.name} ${(error as NodeJS.ErrnoException).code ?? ''}` : 'unknown'

export const reportTooLittleMemory = (limit: number, plan: MemoryPlan): void =>
  log.warn(
    { limit, ...plan },
    'the memory limit is too low for the images and videos processed concurrently; raise it, or process fewer',
  )
