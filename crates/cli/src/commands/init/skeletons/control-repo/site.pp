# A node includes one role, and a role includes profiles.
node default {
  include role::base
}
