import { ownerRoleId } from '@parley/permissions'
import { ImportedPersonOutcome, type ImportPeopleRequest } from '@parley/contracts/internal'
import { enqueue } from '@parley/events'
import { isUniqueViolation, type Tx } from '@parley/postgres'
import { isOwnerEmail } from '../accounts/create-account.ts'
import { giveRole } from '../accounts/give-role.ts'
import type { Context } from '../../context.ts'
import { noted, userCreated } from '../../domain/announcements.ts'
import { loginKey, mentionHandles } from '../../domain/login.ts'
import { importRaced, userLimitTooLow } from '../../errors.ts'
import { accountCreated } from '../../metrics.ts'
import { roleNames } from '../../policy/roles-named.ts'
import {
  findImported,
  holdersByEmail,
  insertPeople,
  rememberImported,
  takenHandles,
} from '../../store/imported-people.ts'
import { countUsers, lockUserCount } from '../../store/users.ts'
import { loginCandidates } from './login-candidates.ts'
import { planPeople, wantedPeople, type PlannedPerson, type Wanted } from './plan-people.ts'

const attempts = 3

/** Creates or finds the accounts of imported people in one transaction. */
export async function importTogether(ctx: Context, request: ImportPeopleRequest): Promise<PlannedPerson[]> {
  const wanted = wantedPeople(request.source, request.people, loginCandidates)
  const logins = [...new Set(wanted.flatMap(({ candidates }) => candidates))]
  const blocked = logins.length === 0 ? [] : (await ctx.admin.checkLogins({ logins })).blocked
  const refused = new Set([...blocked.map(loginKey), ...roleNames(ctx.policy.current()), ...mentionHandles])
  for (let attempt = 1; ; attempt++) {
    try {
      return await importOnce(ctx, wanted, { logins, refused, match: request.matchEmails })
    } catch (error) {
      // Since the lookup, a login or an address was taken, or the person was imported.
      if (!isUniqueViolation(error)) throw error
      if (attempt === attempts) throw importRaced()
    }
  }
}

type Terms = { logins: string[]; refused: ReadonlySet<string>; match: boolean }

async function importOnce(ctx: Context, wanted: readonly Wanted[], terms: Terms): Promise<PlannedPerson[]> {
  const now = ctx.now()
  const { planned, entries } = await ctx.db.transaction(async (tx) => {
    const addresses = wanted.flatMap(({ email }) => (email === '' ? [] : email))
    const known = await findImported(
      tx,
      wanted.map(({ key }) => key),
    )
    const holders = await holdersByEmail(tx, addresses)
    const taken = new Set([...terms.refused, ...(await takenHandles(tx, terms.logins))])
    const planned = planPeople(wanted, { known, holders, taken }, terms.match, now)
    const people = planned.flatMap(({ made }) => made ?? [])
    await assertRoom(ctx, tx, people.filter(({ user }) => !user.deletedAt).length)
    await insertPeople(tx, people, now)
    await rememberImported(
      tx,
      planned.filter(({ outcome }) => outcome !== ImportedPersonOutcome.KNOWN),
    )
    return { planned, entries: await enqueue(tx, announcements(planned, now)) }
  })
  for (const { made } of planned) if (made) accountCreated(made.user.id)
  ctx.relay.wake(entries)
  for (const { made } of planned) {
    if (made && isOwnerEmail(ctx, made.email)) await giveRole(ctx, made.user.id, ownerRoleId, '')
  }
  return planned
}

/** Throws `resource_exhausted` if this many more accounts would exceed the limit. */
async function assertRoom({ config }: Context, tx: Tx, wanted: number): Promise<void> {
  if (config.maxUsers < 0 || wanted === 0) return
  await lockUserCount(tx)
  if ((await countUsers(tx)) + wanted > config.maxUsers) throw userLimitTooLow(config.maxUsers, wanted)
}

/** A tombstone never had an account here, so it is not announced. */
const announcements = (planned: readonly PlannedPerson[], occurredAt: Date) =>
  planned.flatMap(({ made }) => {
    if (!made || made.user.deletedAt) return []
    const aggregateId = made.user.id
    const common = { aggregateType: 'user' as const, aggregateId, version: 1n, occurredAt, actorId: '' }
    const verified = made.email === '' ? [] : [{ ...common, ...noted('user_verified_email_added') }]
    return [{ ...common, ...userCreated() }, ...verified]
  })
