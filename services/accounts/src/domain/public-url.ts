/** Where people reach this server, ready for a path to follow. */
export const publicUrlOf = ({ publicUrl }: { publicUrl: string }): string => publicUrl.replace(/\/+$/, '')
