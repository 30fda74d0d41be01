Notify['later'] { withpath => true }
notify { 'later': }
