CREATE TABLE "thread_watermarks" (
	"user_id" text NOT NULL,
	"room_id" text NOT NULL,
	"seq" bigint NOT NULL,
	CONSTRAINT "thread_watermarks_user_id_room_id_pk" PRIMARY KEY("user_id","room_id")
);
--> statement-breakpoint
CREATE INDEX "threads_last_reply" ON "threads" USING btree ("room_id","last_reply_seq");--> statement-breakpoint
ALTER TABLE "thread_follows" ADD COLUMN "settled" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "thread_follows_user_settled" ON "thread_follows" USING btree ("user_id","settled");--> statement-breakpoint
DROP INDEX "thread_follows_user";
