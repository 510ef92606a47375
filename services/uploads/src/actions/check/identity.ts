import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '../../context.ts'
import { storageMismatch } from '../../errors.ts'
import { countRefusedDeletions } from '../../metrics.ts'
import { storageKeys } from '../../engines/storage/index.ts'
import { addMark, getIdentity, replaceIdentity } from '../../store/storage-identity.ts'

type CheckContext = Pick<Context, 'db' | 'storage'>
/** Content of the identity object. */
type Identity = { storageId: string; mark: string }

/** Several processes that start on a new server each store a mark before they write the identity object. */
const firstMarks = 10
const [firstMarkChecks, firstMarkPauseMs] = [10, 200]

/** A mark that no database has. A server that finds it deletes nothing in the storage. */
const contested = 'contested'

/**
 * Whether storage and database belong together: `missing` when the storage has lost its identity, `foreign` when
 * another database wrote there last, such as a copy of this one, or this one before a restore.
 */
export type Belonging = 'own' | 'missing' | 'foreign'

/**
 * Compares the identity object of the storage with the database. If it belongs to another state of the same database,
 * the identity becomes contested, and neither deletes anything until an operator decides.
 */
export async function compareIdentity(ctx: CheckContext): Promise<Belonging> {
  for (let left = firstMarkChecks; ; left -= 1) {
    const belonging = await compareOnce(ctx)
    if (belonging !== 'about to be written') return belonging
    if (left === 0) return 'missing'
    await sleep(firstMarkPauseMs)
  }
}

async function compareOnce(ctx: CheckContext): Promise<Belonging | 'about to be written'> {
  // Read in this order, because a mark is written to the database before the storage.
  const found = await readIdentity(ctx)
  const { storageId, marks } = await getIdentity(ctx.db)
  if (!found && marks.length > 0) return marks.length > firstMarks ? 'missing' : 'about to be written'
  if (found && found.storageId !== storageId) return 'foreign'
  if (found && marks.length > 0 && !marks.includes(found.mark)) {
    if (found.mark !== contested) await writeIdentity(ctx, { storageId, mark: contested })
    return 'foreign'
  }
  return 'own'
}

/** Throws `failed_precondition` unless the storage belongs to the database. */
export async function assertOwn(ctx: CheckContext): Promise<void> {
  const belonging = await compareIdentity(ctx)
  if (belonging !== 'own') throw storageMismatch(belonging)
}

/** Like `assertOwn`, for use before bytes are deleted; also counts refusals. */
export async function assertMayDelete(ctx: CheckContext): Promise<void> {
  const belonging = await compareIdentity(ctx)
  if (belonging === 'own') return
  countRefusedDeletions(belonging)
  throw storageMismatch(belonging)
}

/** Writes a new mark into our own storage. Earlier states of the database do not know it. */
export async function renewIdentity(ctx: CheckContext): Promise<void> {
  const { storageId } = await getIdentity(ctx.db)
  const mark = randomUUID()
  await addMark(ctx.db, mark)
  await writeIdentity(ctx, { storageId, mark })
}

/** Assigns the storage to this database, regardless of its identity. */
export async function adoptStorage(ctx: CheckContext): Promise<void> {
  const [storageId, mark] = [randomUUID(), randomUUID()]
  await replaceIdentity(ctx.db, { storageId, marks: [mark] })
  await writeIdentity(ctx, { storageId, mark })
}

async function readIdentity({ storage }: CheckContext): Promise<Identity | undefined> {
  const stored = await storage.get(storageKeys.identity)
  return stored && (JSON.parse(await text(stored.content)) as Identity)
}

const writeIdentity = ({ storage }: CheckContext, identity: Identity) =>
  storage.put(storageKeys.identity, Readable.from([Buffer.from(JSON.stringify(identity))]))
