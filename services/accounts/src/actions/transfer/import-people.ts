import { ownerRoleId } from '@parley/permissions'
import { ImportedPersonOutcome, type ImportPeopleRequest } from '@parley/contracts/internal'
import { enqueue } from '@parley/events'
import { isUniqueViolation, type Tx } from '@parley/postgres'
import { isOwnerEmail } from '../accounts/create-account.ts'
import { assignRoleTo } from '../accounts/assign-role-to.ts'
import type { Context } from '../../context.ts'
import { auditEvent, userCreated } from '../../domain/announcements.ts'
import { loginKey, mentionHandles } from '../../domain/login.ts'
import { importConflict, userLimitTooLow } from '../../errors.ts'
import { logAccountCreated } from '../../metrics.ts'
import { roleNames } from '../../policy/role-names.ts'
import {
  findImported,
  holdersByEmail,
  insertPeople,
  insertImported,
  findTakenHandles,
} from '../../store/imported-people.ts'
import { countUsers, lockUserCount } from '../../store/users.ts'
import { planPeople, preparePeople, type PlannedPerson, type PersonToImport } from './plan-people.ts'

const maxAttempts = 3

/**
 * Finds or creates the accounts in one transaction. New accounts with an owner address from the settings then become
 * owners. Throws `resource_exhausted` if there would be too many accounts, and `unavailable` if concurrent calls keep
 * taking the same logins or addresses.
 */
export async function importBatch(ctx: Context, request: ImportPeopleRequest): Promise<PlannedPerson[]> {
  const wanted = preparePeople(request.source, request.people)
  const logins = [...new Set(wanted.flatMap(({ candidates }) => candidates))]
  const blocked = logins.length === 0 ? [] : (await ctx.admin.checkLogins({ logins })).blocked
  const refused = new Set([...blocked.map(loginKey), ...roleNames(ctx.policy.current()), ...mentionHandles])
  for (let attempt = 1; ; attempt++) {
    try {
      return await tryImport(ctx, wanted, { logins, refused, matchEmails: request.matchEmails })
    } catch (error) {
      // Another call took a login or an address, or imported the same person, after the lookup.
      if (!isUniqueViolation(error)) throw error
      if (attempt === maxAttempts) throw importConflict()
    }
  }
}

type ImportRules = { logins: string[]; refused: ReadonlySet<string>; matchEmails: boolean }

async function tryImport(
  ctx: Context,
  wanted: readonly PersonToImport[],
  rules: ImportRules,
): Promise<PlannedPerson[]> {
  const now = ctx.now()
  const { planned, entries } = await ctx.db.transaction(async (tx) => {
    const addresses = wanted.flatMap(({ email }) => (email === '' ? [] : email))
    const known = await findImported(
      tx,
      wanted.map(({ key }) => key),
    )
    const holders = await holdersByEmail(tx, addresses)
    const taken = new Set([...rules.refused, ...(await findTakenHandles(tx, rules.logins))])
    const planned = planPeople(wanted, { known, holders, taken }, rules.matchEmails, now)
    const newPeople = planned.flatMap(({ account }) => account ?? [])
    await assertBelowUserLimit(ctx, tx, newPeople.filter(({ user }) => !user.deletedAt).length)
    await insertPeople(tx, newPeople, now)
    await insertImported(
      tx,
      planned.filter(({ outcome }) => outcome !== ImportedPersonOutcome.KNOWN),
    )
    return { planned, entries: await enqueue(tx, announcements(planned, now)) }
  })
  for (const { account } of planned) if (account) logAccountCreated(account.user.id)
  ctx.relay.wake(entries)
  for (const { account } of planned) {
    if (account && isOwnerEmail(ctx, account.email)) await assignRoleTo(ctx, account.user.id, ownerRoleId, '')
  }
  return planned
}

async function assertBelowUserLimit({ config }: Context, tx: Tx, wanted: number): Promise<void> {
  if (config.maxUsers < 0 || wanted === 0) return
  await lockUserCount(tx)
  if ((await countUsers(tx)) + wanted > config.maxUsers) throw userLimitTooLow(config.maxUsers, wanted)
}

/** Leaves out people who are deleted at the source. */
const announcements = (planned: readonly PlannedPerson[], occurredAt: Date) =>
  planned.flatMap(({ account }) => {
    if (!account || account.user.deletedAt) return []
    const aggregateId = account.user.id
    const common = { aggregateType: 'user' as const, aggregateId, version: 1n, occurredAt, actorId: '' }
    const verified = account.email === '' ? [] : [{ ...common, ...auditEvent('user_verified_email_added') }]
    return [{ ...common, ...userCreated() }, ...verified]
  })
