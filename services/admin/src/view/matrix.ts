import type { MessageInitShape } from '@bufbuild/protobuf'
import { appliesAt, effectiveAt, permissions, storedAt, type Holder, type Policy } from '@parley/permissions'
import type { PermissionMatrixCellSchema, PermissionMatrixScopeSchema } from '@parley/contracts/admin'
import { scopeName, toScope, type DecisionScope } from '../domain/decision-scope.ts'
import { decisionAbout, toScopeKind } from './decision.ts'

/** `groupId` is the group of a channel. */
export type Column = DecisionScope & { readonly label: string; readonly groupId: string }

export function toMatrix(policy: Policy, holder: Holder, columns: readonly Column[]) {
  return {
    applicablePermissions: permissions.map(({ permission }) => permission),
    scopes: columns.map(toMatrixScope),
    cells: columns.flatMap((column) => toCells(policy, holder, column)),
  }
}

function toMatrixScope(column: Column): MessageInitShape<typeof PermissionMatrixScopeSchema> {
  const { kind, label, groupId } = column
  return { id: scopeName(column), label, kind: toScopeKind(kind), parentGroupId: groupId }
}

function toCells(
  policy: Policy,
  holder: Holder,
  column: Column,
): MessageInitShape<typeof PermissionMatrixCellSchema>[] {
  const scope = toScope(column, column.groupId)
  const [stored, effective] = [storedAt(policy, holder, scope), effectiveAt(policy, holder, scope)]
  const scopeId = scopeName(column)
  return permissions
    .filter(({ permission }) => appliesAt(permission, column.kind))
    .map(({ permission }) => ({
      permission,
      scopeId,
      override: decisionAbout(stored, permission),
      effective: decisionAbout(effective, permission),
    }))
}
