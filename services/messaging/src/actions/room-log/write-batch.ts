import { ConnectError } from '@connectrpc/connect'
import type { Context } from '../../context.ts'
import { LockedLog } from '../../store/locked-log.ts'
import { transaction } from '../../store/statement.ts'
import { applyFacts } from './apply-facts.ts'
import type { ChangeCommand, ChangeOutcome, FactsCommand, Outcome, PostCommand, RoomCommand } from './room-command.ts'
import type { Message, PostWriteOutcome } from './message.ts'
import { wakeMentionResolver, writePosts, writePostsInto } from './write-posts.ts'

type CommandsByKind = { facts: FactsCommand[]; changes: ChangeCommand[]; posts: PostCommand[] }

/**
 * Writes posts alone, or a single change, in one statement if possible, and everything else in one transaction. Facts
 * come first, so that posts of users who lost access are refused.
 */
export async function writeBatch(
  ctx: Context,
  roomId: string,
  commands: readonly RoomCommand[],
): Promise<(Outcome | Error)[]> {
  const byKind: CommandsByKind = { facts: [], changes: [], posts: [] }
  for (const command of commands) {
    if (command.kind === 'facts') byKind.facts.push(command)
    else if (command.kind === 'change') byKind.changes.push(command)
    else byKind.posts.push(command)
  }
  if (byKind.posts.length === commands.length) return writePosts(ctx, roomId, messagesOf(byKind))
  const [command] = commands
  const outcome =
    commands.length === 1 && command?.kind === 'change' ? await tryInOneStatement(ctx, command) : undefined
  return outcome ? [outcome] : writeInTransaction(ctx, roomId, commands, byKind)
}

async function tryInOneStatement(
  ctx: Context,
  { changeInOneStatement }: ChangeCommand,
): Promise<ChangeOutcome | undefined> {
  const entries = changeInOneStatement && (await catchRefusal(changeInOneStatement))
  if (!entries || 'kind' in entries) return entries
  ctx.relay.wake(entries)
  return { kind: 'changed', places: entries.length }
}

const messagesOf = ({ posts }: CommandsByKind): Message[] => posts.map(({ message }) => message)

async function writeInTransaction(
  ctx: Context,
  roomId: string,
  commands: readonly RoomCommand[],
  byKind: CommandsByKind,
): Promise<(Outcome | Error)[]> {
  const { facts, changes, posts } = byKind
  const outcomes = new Map<RoomCommand, Outcome>()
  const messages = messagesOf(byKind)
  const log = await transaction(ctx.pool, async (on) => {
    const log = await LockedLog.lock(on, roomId)
    if (facts.length > 0) {
      const applied = await applyFacts(ctx, log, facts)
      for (const [index, outcome] of applied.entries()) setOutcome(outcomes, facts[index], outcome)
    }
    for (const command of changes) outcomes.set(command, await makeChange(log, command))
    const written = new Map<Message, PostWriteOutcome>()
    await writePostsInto(ctx, log, messages, written)
    for (const command of posts) setOutcome(outcomes, command, written.get(command.message))
    await log.flush()
    return log
  })
  for (const outcome of outcomes.values()) if (outcome.kind === 'stored' && outcome.room) ctx.headers.put(outcome.room)
  ctx.relay.wake(log.entries)
  wakeMentionResolver(ctx, messages)
  return commands.map((command) => outcomes.get(command) ?? new Error(`a command (${command.kind}) has no outcome`))
}

function setOutcome(
  outcomes: Map<RoomCommand, Outcome>,
  command: RoomCommand | undefined,
  outcome: Outcome | undefined,
): void {
  if (command && outcome) outcomes.set(command, outcome)
}

async function makeChange(log: LockedLog, command: ChangeCommand): Promise<ChangeOutcome> {
  const events = await catchRefusal(() => command.change(log))
  if ('kind' in events) return events
  const { traceparent } = command
  log.append(
    traceparent === undefined
      ? events
      : events.map((event) => ({ ...event, traceparent: event.traceparent || traceparent })),
  )
  return { kind: 'changed', places: events.length }
}

type Refusal = Extract<ChangeOutcome, { kind: 'refused' }>

async function catchRefusal<T>(run: () => Promise<T>): Promise<T | Refusal> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof ConnectError) return { kind: 'refused', error }
    throw error
  }
}
