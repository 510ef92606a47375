import { ConnectError } from '@connectrpc/connect'
import type { Context } from '../../context.ts'
import { HeldLog } from '../../store/held-log.ts'
import { transaction } from '../../store/statement.ts'
import { applyFacts } from './apply-facts.ts'
import type { ChangeCommand, ChangeOutcome, FactsCommand, Outcome, PostCommand, RoomCommand } from './room-command.ts'
import type { Message, WrittenPost } from './message.ts'
import { wakeMentionResolver, writePosts, writePostsInto } from './write-posts.ts'

type Parts = { facts: FactsCommand[]; changes: ChangeCommand[]; posts: PostCommand[] }

/**
 * Writes the waiting commands of a room: only posts in one statement, a single change in one statement if possible,
 * anything else in one transaction. Facts come first, so that posts of people who lost access are refused.
 */
export async function writeBatch(
  ctx: Context,
  roomId: string,
  commands: readonly RoomCommand[],
): Promise<(Outcome | Error)[]> {
  const parts: Parts = { facts: [], changes: [], posts: [] }
  for (const command of commands) {
    if (command.kind === 'facts') parts.facts.push(command)
    else if (command.kind === 'change') parts.changes.push(command)
    else parts.posts.push(command)
  }
  if (parts.posts.length === commands.length) return writePosts(ctx, roomId, messagesOf(parts))
  const [command] = commands
  const alone = commands.length === 1 && command?.kind === 'change' ? await changeAlone(ctx, command) : undefined
  return alone ? [alone] : writeTogether(ctx, roomId, commands, parts)
}

/** Makes a change in one statement; undefined when it needs a transaction. */
async function changeAlone(ctx: Context, { changeAtOnce }: ChangeCommand): Promise<ChangeOutcome | undefined> {
  const entries = changeAtOnce && (await orRefusal(changeAtOnce))
  if (!entries || 'kind' in entries) return entries
  ctx.relay.wake(entries)
  return { kind: 'changed', places: entries.length }
}

const messagesOf = ({ posts }: Parts): Message[] => posts.map(({ message }) => message)

async function writeTogether(
  ctx: Context,
  roomId: string,
  commands: readonly RoomCommand[],
  parts: Parts,
): Promise<(Outcome | Error)[]> {
  const { facts, changes, posts } = parts
  const outcomes = new Map<RoomCommand, Outcome>()
  const messages = messagesOf(parts)
  const log = await transaction(ctx.pool, async (on) => {
    const log = await HeldLog.hold(on, roomId)
    if (facts.length > 0) {
      const applied = await applyFacts(ctx, log, facts)
      for (const [index, outcome] of applied.entries()) setFor(outcomes, facts[index], outcome)
    }
    for (const command of changes) outcomes.set(command, await change(log, command))
    const written = new Map<Message, WrittenPost>()
    await writePostsInto(ctx, log, messages, written)
    for (const command of posts) setFor(outcomes, command, written.get(command.message))
    await log.flush()
    return log
  })
  for (const outcome of outcomes.values()) if (outcome.kind === 'held' && outcome.room) ctx.headers.put(outcome.room)
  ctx.relay.wake(log.entries)
  wakeMentionResolver(ctx, messages)
  return commands.map((command) => outcomes.get(command) ?? new Error(`a ${command.kind} has no outcome`))
}

function setFor(
  outcomes: Map<RoomCommand, Outcome>,
  command: RoomCommand | undefined,
  outcome: Outcome | undefined,
): void {
  if (command && outcome) outcomes.set(command, outcome)
}

async function change(log: HeldLog, command: ChangeCommand): Promise<ChangeOutcome> {
  const events = await orRefusal(() => command.change(log))
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

async function orRefusal<T>(run: () => Promise<T>): Promise<T | Refusal> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof ConnectError) return { kind: 'refused', error }
    throw error
  }
}
