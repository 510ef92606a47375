#!/bin/bash
# Runs once, when the volume is created: every service gets its own database and a role that owns it. The role cannot
# connect to the databases of other services.
set -euo pipefail

for variable in "${!PARLEY_DATABASE_PASSWORD_@}"; do
  name="parley_${variable#PARLEY_DATABASE_PASSWORD_}"
  psql -v ON_ERROR_STOP=1 -U "${POSTGRES_USER:-postgres}" -d postgres \
    -v name="${name,,}" -v password="${!variable}" <<'SQL'
create role :"name" login password :'password';
create database :"name" owner :"name";
revoke connect on database :"name" from public;
SQL
done
