/** Without a trailing slash. */
export const publicUrlOf = ({ publicUrl }: { publicUrl: string }): string => publicUrl.replace(/\/+$/, '')
