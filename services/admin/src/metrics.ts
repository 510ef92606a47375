import { counter, logger } from '@parley/telemetry'

const log = logger('admin')

const policyChanges = counter('parley.admin.policy_changes', {
  description: 'Changes of roles and permission decisions',
  unit: '{change}',
})

export function logServerSeeded(): void {
  log.info('seeded system roles, default decisions, blocked usernames and the server profile')
}

/** Also counts a revision that is announced after a restore and changes neither roles nor decisions. */
export function countPolicyChange(revision: bigint): void {
  policyChanges(1)
  log.info({ revision: String(revision) }, 'policy changed')
}

export function reportLostPolicy(lost: bigint, revision: bigint): void {
  log.warn(
    { lost: String(lost), revision: String(revision) },
    'other deployables had a newer policy, which this database has lost; a new revision was announced, so that they load the policy of this database',
  )
}

const serverChanges = counter('parley.admin.server_changes', {
  description: 'Changes of the server profile, its images and blocked usernames',
  unit: '{change}',
})

export function countServerChange(what: string): void {
  serverChanges(1)
  log.info({ what }, 'server changed')
}

export function logBucketDropped(bucket: string): void {
  log.info({ bucket }, 'dropped a month of one class of the audit log')
}

export function reportNameNotReleased(error: unknown): void {
  log.warn({ err: error }, 'a name reserved for a role that does not exist could not be released; retrying later')
}

export function reportBucketsMissing(err: unknown): void {
  log.warn(
    { err },
    'tables of the audit log could not be created; entries of a month without a table go to the default partition',
  )
}
