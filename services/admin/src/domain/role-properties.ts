import { badRoleText, emptyUpdate } from '../errors.ts'

export type RoleProperties = { displayName: string; description: string; pingable: boolean }
export type RoleField = keyof RoleProperties

type Wanted = { [field in RoleField]?: RoleProperties[field] | undefined }

const controls = /\p{Cc}/u
const controlsExceptWhitespace = /[^\P{Cc}\n\r\t]/u

/** Absent fields are unchanged. The field rules in `proto/` check lengths. */
export function parseRoleProperties({ displayName, description, pingable }: Wanted): Partial<RoleProperties> {
  if (displayName !== undefined && controls.test(displayName)) throw badRoleText('display_name')
  if (description !== undefined && controlsExceptWhitespace.test(description)) throw badRoleText('description')
  const properties = {
    ...(displayName !== undefined && { displayName }),
    ...(description !== undefined && { description }),
    ...(pingable !== undefined && { pingable }),
  }
  if (Object.keys(properties).length === 0) throw emptyUpdate()
  return properties
}

const fields: readonly RoleField[] = ['displayName', 'description', 'pingable']

export function findChangedFields(before: RoleProperties, wanted: Partial<RoleProperties>): RoleField[] {
  return fields.filter((field) => wanted[field] !== undefined && wanted[field] !== before[field])
}
