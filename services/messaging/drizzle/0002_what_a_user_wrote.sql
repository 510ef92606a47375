CREATE INDEX "room_events_author" ON "room_events" USING btree ("actor_id") WHERE "room_events"."kind" = 'message_posted' and "room_events"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX "room_markers_user" ON "room_markers" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "thread_follows_user" ON "thread_follows" USING btree ("user_id");