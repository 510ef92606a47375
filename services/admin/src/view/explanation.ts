import type { MessageInitShape } from '@bufbuild/protobuf'
import type { Explanation, TraceEntry } from '@parley/permissions'
import { PermissionDecision, PermissionDecisionLevel, type PermissionExplanationSchema } from '@parley/contracts/admin'
import { toDecision } from './decision.ts'

const levels = {
  server: PermissionDecisionLevel.SERVER,
  group: PermissionDecisionLevel.GROUP,
  room: PermissionDecisionLevel.ROOM,
}

export function toExplanation({
  permission,
  outcome,
  trace,
}: Explanation): MessageInitShape<typeof PermissionExplanationSchema> {
  const [decisive] = trace
  return {
    permission,
    state: outcome === 'undecided' ? PermissionDecision.NONE : toDecision(outcome),
    decidedAt: levelOf(decisive),
    decidedByRole: decisive?.roleName ?? '',
    trace: trace.map((entry) => {
      const { roleName, decision, applied } = entry
      return { level: levelOf(entry), roleName, decision: toDecision(decision), applied }
    }),
  }
}

const levelOf = (entry: TraceEntry | undefined): PermissionDecisionLevel =>
  entry?.level ? levels[entry.level] : PermissionDecisionLevel.UNSPECIFIED
