import { parkedEventsService } from '@parley/events'
import { handlersOf } from '@parley/rpc'
import type { Context } from '../context.ts'
import { batchGetRoomGroups } from './directory/batch-get-room-groups.ts'
import { batchGetRooms } from './directory/batch-get-rooms.ts'
import { getRoomGroup } from './directory/get-room-group.ts'
import { getRoom } from './directory/get-room.ts'
import { listRoomGroups } from './directory/list-room-groups.ts'
import { listRooms } from './directory/list-rooms.ts'
import { countRooms } from './internal/count-rooms.ts'
import { getGroups } from './internal/get-groups.ts'
import { getRoomAccess } from './internal/get-room-access.ts'
import { getRooms } from './internal/get-rooms.ts'
import { listAccessibleRooms } from './internal/list-accessible-rooms.ts'
import { listLayout } from './internal/list-layout.ts'
import { listPresenceAudiences } from './internal/list-presence-audiences.ts'
import { listRecipients } from './internal/list-recipients.ts'
import { listUniversalRooms } from './internal/list-universal-rooms.ts'
import { openSockets } from './internal/open-sockets.ts'
import { createRoomGroup } from './layout/create-room-group.ts'
import { createSidebarLink } from './layout/create-sidebar-link.ts'
import { deleteRoomGroup } from './layout/delete-room-group.ts'
import { deleteSidebarLink } from './layout/delete-sidebar-link.ts'
import { listRoomGroups as listLayoutGroups } from './layout/list-room-groups.ts'
import { moveRoomToGroup } from './layout/move-room-to-group.ts'
import { moveSidebarLinkToGroup } from './layout/move-sidebar-link-to-group.ts'
import { reorderRoomGroups } from './layout/reorder-room-groups.ts'
import { reorderSidebarItemsInGroup } from './layout/reorder-sidebar-items-in-group.ts'
import { updateRoomGroup } from './layout/update-room-group.ts'
import { updateSidebarLink } from './layout/update-sidebar-link.ts'
import { addMember } from './member/add-member.ts'
import { banMember } from './member/ban-member.ts'
import { batchGetMembers } from './member/batch-get-members.ts'
import { getMember } from './member/get-member.ts'
import { listBans } from './member/list-bans.ts'
import { listMembers } from './member/list-members.ts'
import { removeMember } from './member/remove-member.ts'
import { unbanMember } from './member/unban-member.ts'
import { archiveRoom, unarchiveRoom } from './room/archive-room.ts'
import { createRoom } from './room/create-room.ts'
import { joinRoom } from './room/join-room.ts'
import { joinRoomGroup } from './room/join-room-group.ts'
import { leaveRoom } from './room/leave-room.ts'
import { startDm } from './room/start-dm.ts'
import { updateRoom } from './room/update-room.ts'
import { archiveImportedRoom } from './transfer/archive-imported-room.ts'
import { exportLayout } from './transfer/export-layout.ts'
import { exportMembers } from './transfer/export-members.ts'
import { exportRooms } from './transfer/export-rooms.ts'
import { importGroup } from './transfer/import-group.ts'
import { importMembers } from './transfer/import-members.ts'
import { importRoom } from './transfer/import-room.ts'
import { removeImportedGroup } from './transfer/remove-imported-group.ts'

export const routes = (ctx: Context) =>
  handlersOf('rooms', {
    RoomService: {
      createRoom: createRoom(ctx),
      joinRoom: joinRoom(ctx),
      joinRoomGroup: joinRoomGroup(ctx),
      leaveRoom: leaveRoom(ctx),
      updateRoom: updateRoom(ctx),
      archiveRoom: archiveRoom(ctx),
      unarchiveRoom: unarchiveRoom(ctx),
      startDM: startDm(ctx),
      listMembers: listMembers(ctx),
      getMember: getMember(ctx),
      batchGetMembers: batchGetMembers(ctx),
      addMember: addMember(ctx),
      removeMember: removeMember(ctx),
      listBans: listBans(ctx),
      banMember: banMember(ctx),
      unbanMember: unbanMember(ctx),
    },
    RoomDirectoryService: {
      listRooms: listRooms(ctx),
      listRoomGroups: listRoomGroups(ctx),
      getRoomGroup: getRoomGroup(ctx),
      batchGetRoomGroups: batchGetRoomGroups(ctx),
      getRoom: getRoom(ctx),
      batchGetRooms: batchGetRooms(ctx),
    },
    AdminRoomLayoutService: {
      listRoomGroups: listLayoutGroups(ctx),
      createRoomGroup: createRoomGroup(ctx),
      updateRoomGroup: updateRoomGroup(ctx),
      deleteRoomGroup: deleteRoomGroup(ctx),
      reorderRoomGroups: reorderRoomGroups(ctx),
      moveRoomToGroup: moveRoomToGroup(ctx),
      reorderSidebarItemsInGroup: reorderSidebarItemsInGroup(ctx),
      createSidebarLink: createSidebarLink(ctx),
      updateSidebarLink: updateSidebarLink(ctx),
      deleteSidebarLink: deleteSidebarLink(ctx),
      moveSidebarLinkToGroup: moveSidebarLinkToGroup(ctx),
    },
    RoomsInternalService: {
      openSockets: openSockets(ctx),
      listUniversalRooms: listUniversalRooms(ctx),
      getRoomAccess: getRoomAccess(ctx),
      getRooms: getRooms(ctx),
      getGroups: getGroups(ctx),
      listLayout: listLayout(ctx),
      listRecipients: listRecipients(ctx),
      listPresenceAudiences: listPresenceAudiences(ctx),
      listAccessibleRooms: listAccessibleRooms(ctx),
      countRooms: countRooms(ctx),
    },
    RoomsTransferService: {
      importGroup: importGroup(ctx),
      importRoom: importRoom(ctx),
      importMembers: importMembers(ctx),
      archiveImportedRoom: archiveImportedRoom(ctx),
      removeImportedGroup: removeImportedGroup(ctx),
      exportLayout: exportLayout(ctx),
      exportRooms: exportRooms(ctx),
      exportMembers: exportMembers(ctx),
    },
    RoomsParkedEventsService: parkedEventsService(ctx.db),
  })
